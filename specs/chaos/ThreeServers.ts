import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { clusterStatus } from '@kiroku/cluster'
import { connect } from '@kiroku/nats'
import { startNatsCluster, type NatsCluster, type Server } from '@kiroku/nats-server'
import { freePort, SmallDisk, waitUntil } from '@kiroku/testkit'
import { hasPreviousRelease, unpackPreviousRelease } from '../cluster/unpackPreviousRelease.ts'
import { EngineProcess, type Release } from './EngineProcess.ts'
import { TcpProxy } from './TcpProxy.ts'
import { partitions } from './queues.ts'
import type { Random } from './random.ts'

const startMs = 60_000
/** The disk that gets full, while it is not, in MiB. */
const diskMebibytes = 8_192
/** Clocks of one node are wrong by as much as the engine still puts up with, one way or the other. */
const clockOffMs = 299_000
const serverOfDisk = 2
const wrongClock = new URL('wrongClock.ts', import.meta.url).href

interface Parts {
  /** The executable of the previous release, where this clone has it. */
  readonly previous: string | undefined
  /** Of each node, to each server. */
  readonly proxies: ReadonlyMap<EngineProcess, readonly TcpProxy[]>
  /** From one server to another, by the places of both. */
  readonly routes: ReadonlyMap<string, TcpProxy>
  readonly stack: AsyncDisposableStack
}

/** What JetStream says of its streams. */
interface StreamList {
  readonly streams: readonly {
    readonly cluster: {
      readonly leader?: string
      readonly replicas: readonly { readonly current: boolean; readonly offline?: boolean }[]
    }
  }[]
}

/** Nodes of the previous release are machines of this name; such do not hold sends to their order. */
const previousHost = (name: string): string => `previous-${name}`
/** Whether a partition's owner, by the name in the record, holds sends to their order. */
export const ordersSends = (owner: string): boolean => !owner.startsWith(previousHost(''))

/**
 * Three nats-servers, and nodes that reach each of them by a proxy of their own. One node is of the previous release, the
 * clock of one is wrong, and one server may run out of disk.
 */
export class ThreeServers {
  readonly nats: NatsCluster
  readonly connection: Awaited<ReturnType<typeof connect>>
  readonly nodes: readonly EngineProcess[]
  /** A node that joins and leaves, named like the first one. */
  readonly guest: EngineProcess
  readonly disk: SmallDisk | undefined
  readonly #parts: Parts

  private constructor(
    fields: Pick<ThreeServers, 'nats' | 'connection' | 'nodes' | 'guest' | 'disk'>,
    parts: Parts,
  ) {
    this.nats = fields.nats
    this.connection = fields.connection
    this.nodes = fields.nodes
    this.guest = fields.guest
    this.disk = fields.disk
    this.#parts = parts
  }

  static async start(folder: string, random: Random): Promise<ThreeServers> {
    await using stack = new AsyncDisposableStack()
    const disk = await SmallDisk.mount(diskMebibytes).catch(() => undefined)
    if (disk !== undefined) stack.use(disk)
    const open = async (target: () => number): Promise<TcpProxy> => {
      const proxy = await TcpProxy.open(target)
      stack.defer(() => proxy.close())
      return proxy
    }
    const routes = new Map<string, TcpProxy>()
    const ports = await Promise.all([freePort(), freePort(), freePort()])
    for (const from of ports.keys())
      for (const to of ports.keys())
        if (from !== to) routes.set(`${from} ${to}`, await open(() => ports[to]!))
    const nats = await startNatsCluster({
      ports: ports.map((servers) => ({ clients: 0, servers })),
      dataDir: join(folder, 'nats'),
      ...(disk === undefined ? {} : { folders: { [serverOfDisk]: disk.path } }),
      between: (from, to) => routes.get(`${from} ${to}`)!.port,
    })
    stack.defer(() => nats.stop())
    const connection = await connect({ servers: nats.urls, name: 'chaos' })
    stack.defer(() => connection.close())
    // JetStream may have a leader that does not know all servers yet.
    const probe = JSON.stringify({ name: 'PROBE', subjects: ['probe'], num_replicas: 3, storage: 'memory' })
    const probed = async () => (await connection.request('$JS.API.STREAM.CREATE.PROBE', probe)).json<object>()
    await waitUntil(async () => !('error' in (await probed())), {
      timeoutMs: startMs,
      what: 'JetStream makes a stream of three replicas',
    })
    await connection.request('$JS.API.STREAM.DELETE.PROBE')

    const previous = hasPreviousRelease() ? unpackInto(join(folder, 'previous')) : undefined
    const proxies = new Map<EngineProcess, readonly TcpProxy[]>()
    const make = async (name: string, release: Release, env: Record<string, string> = {}) => {
      const own = await Promise.all(nats.servers.map(({ port }) => open(() => port)))
      const url = own.map(({ port }) => `nats://127.0.0.1:${port}`).join(',')
      const flags = ['--replicas', '3', '--audit', 'off']
      const node = new EngineProcess({ ...release, name, url, folder, partitions, flags, env })
      stack.defer(() => node.kill())
      proxies.set(node, own)
      return node
    }
    const clockOff = String(random.next() < 0.5 ? clockOffMs : -clockOffMs)
    const nodes = [
      await make('a', { host: 'a' }),
      await make('b', releaseOf('b', previous)),
      await make(
        'c',
        { host: 'c' },
        { NODE_OPTIONS: `--import=${wrongClock}`, CHAOS_CLOCK_OFF_MS: clockOff },
      ),
    ]
    const guest = await make('guest', { host: 'a' })
    if (previous !== undefined) {
      // The node that makes a log puts its own version in force unless an older one is there.
      nodes[1]!.start()
      const streams = async () =>
        (await connection.request('$JS.API.STREAM.NAMES', '{}')).json<{ total?: number }>().total ?? 0
      await waitUntil(async () => (await streams()) > partitions, {
        timeoutMs: startMs,
        what: 'the previous release makes the log',
      })
    }
    for (const node of nodes) if (node.pid === 0) node.start()
    return new ThreeServers(
      { nats, connection, nodes, guest, disk },
      { previous, proxies, routes, stack: stack.move() },
    )
  }

  get servers(): readonly Server[] {
    return this.nats.servers
  }

  get all(): readonly EngineProcess[] {
    return [...this.nodes, this.guest]
  }

  get hasPrevious(): boolean {
    return this.#parts.previous !== undefined
  }

  isPrevious(node: EngineProcess): boolean {
    return node.release.executable !== undefined
  }

  /** What a node runs from its next start on. */
  setRelease(node: EngineProcess, release: 'present' | 'previous'): void {
    node.release = releaseOf(node.name, release === 'previous' ? this.#parts.previous : undefined)
  }

  /** Lets nothing pass between a node and the servers, neither way. */
  cutNode(node: EngineProcess): void {
    for (const proxy of this.#proxiesOf(node)) proxy.hold()
  }

  /** Lets pass what was held up, and everything from now on. */
  reconnectNode(node: EngineProcess): void {
    for (const proxy of this.#proxiesOf(node)) proxy.release()
  }

  /** Lets nothing pass between a server and the others; its clients reach it all the while. */
  cutServer(server: number): void {
    for (const route of this.#routesOf(server)) route.hold()
  }

  /** Lets pass what was held up, and everything from now on. */
  reconnectServer(server: number): void {
    for (const route of this.#routesOf(server)) route.release()
  }

  /** The node that follows some partition's log to take it over, if there is one. */
  async standby(): Promise<EngineProcess | undefined> {
    const { partitions: each, runners } = await clusterStatus(this.connection, 'main')
    const addresses = new Set(each.map(({ standby }) => standby))
    const hosts = new Set(runners.flatMap(({ address, host }) => (addresses.has(address) ? [host] : [])))
    return this.nodes.find(({ release }) => hosts.has(release.host!))
  }

  /** Asks the leader of a stream to step down; JetStream may not be able to. */
  async stepDown(stream: string): Promise<void> {
    await this.connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`).catch(() => undefined)
  }

  /** Resolves when a piece of a checkpoint is on its way to the store, or after the time. */
  async checkpointUnderWay(timeoutMs: number): Promise<void> {
    const pieces = this.connection.subscribe('$O.*.C.>', { max: 1 })
    const timer = setTimeout(() => pieces.unsubscribe(), timeoutMs)
    for await (const _ of pieces) break
    clearTimeout(timer)
  }

  /** Resolves when every replica of every stream has what its leader has. */
  async caughtUp(): Promise<void> {
    const isCurrent = async (): Promise<boolean> => {
      const { streams } = (await this.connection.request('$JS.API.STREAM.LIST')).json<StreamList>()
      return streams.every(
        ({ cluster: { leader, replicas } }) =>
          leader !== undefined && replicas.every(({ current, offline }) => current && offline !== true),
      )
    }
    await waitUntil(isCurrent, { timeoutMs: startMs, what: 'the nats-servers have caught up' })
  }

  /** Leaves less than 1 MiB of the disk. */
  async fillDisk(): Promise<void> {
    await this.disk?.resize(Math.ceil(this.disk.usedBytes / 1024 / 1024))
  }

  async emptyDisk(): Promise<void> {
    await this.disk?.resize(diskMebibytes)
  }

  /** Ends at once what would outlive this process. */
  abandon(): void {
    for (const node of this.all) node.kill()
  }

  /** Ends everything, whatever it does. */
  stop(): Promise<void> {
    return this.#parts.stack.disposeAsync()
  }

  #proxiesOf(node: EngineProcess): readonly TcpProxy[] {
    return this.#parts.proxies.get(node)!
  }

  #routesOf(server: number): readonly TcpProxy[] {
    return [...this.#parts.routes].flatMap(([key, route]) =>
      key.split(' ').includes(String(server)) ? [route] : [],
    )
  }
}

const releaseOf = (name: string, previous: string | undefined): Release =>
  previous === undefined ? { host: name } : { executable: previous, host: previousHost(name) }

const unpackInto = (folder: string): string => {
  mkdirSync(folder, { recursive: true })
  return unpackPreviousRelease(folder)
}
