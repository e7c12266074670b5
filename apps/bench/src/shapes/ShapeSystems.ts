import { setTimeout as pause } from 'node:timers/promises'
import { type Server, startServer } from '@kiroku/nats-server'
import { freePort } from '@kiroku/testkit/free-port'
import { reachedIn } from '../audit/reachedIn.ts'
import { childrenOf, processorMs, processorMsOfAll } from '../console/processorTime.ts'
import { EngineProcess } from '../engine/EngineProcess.ts'
import { PeerServer, presentPeers } from '../first/PeerServer.ts'
import { LoadProcess, type Tasks } from '../LoadProcess.ts'
import type { Handling, ShapeLoad } from './serveShape.ts'
import type { ShapesRun } from './ShapesRun.ts'

/** What went through a nats-server so far, in and out. */
interface Traffic {
  readonly messages: number
  readonly bytes: number
}

/** Kiroku or a peer: a server in processes of its own, and a process with its client. */
export interface ShapeSystem {
  readonly name: string
  readonly load: LoadProcess<ShapeLoad>
  /** How its messages are handled where the shape does not say; absent: as its consumers are by default. */
  readonly handling?: Handling
  /** It sends in batches where others send one by one. */
  readonly sendsBatches?: boolean
  /** It has no way to send several messages at once. */
  readonly isSingle?: boolean
  /** It is no queue but what one is built on. */
  readonly isRaw?: boolean
  /** Processor time so far of each of its processes, in ms. */
  readonly spent: () => Readonly<Record<string, number>>
  /** Ends its server as `kill -9` does and starts it again on what it has on disk; resolves when it serves. */
  readonly crash: () => Promise<void>
  /** Another process with its client. */
  readonly another: () => LoadProcess<ShapeLoad>
  /** Folder of what its server has on disk. */
  readonly folder: string
  /** Only Kiroku's. */
  readonly own?: Own
}

/** What is known of Kiroku's processes alone. */
export interface Own {
  readonly engine: () => EngineProcess
  readonly pids: () => Readonly<Record<string, number>>
  readonly nats: Server
  readonly traffic: () => Promise<Traffic>
  /** Resolves when its auditor, if it has one, has read what is there now. */
  readonly audited: () => Promise<void>
}

/** How Kiroku runs: with its defaults, unless this says otherwise. */
export interface KirokuOptions {
  readonly name?: string
  readonly partitions?: number
  readonly isAudited?: boolean
  /** The script that starts it; default: that of the sources. */
  readonly launcher?: string
}

/** Everything that a part starts, which ends with it. */
export class ShapeSystems implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack()
  readonly #run: ShapesRun

  constructor(run: ShapesRun) {
    this.#run = run
  }

  /** Kiroku and all peers that are installed. */
  async all(options?: KirokuOptions): Promise<readonly ShapeSystem[]> {
    this.#run.progress.step('starting Kiroku and its peers')
    return [await this.kiroku(options), ...(await this.peers())]
  }

  async kiroku({
    name = 'Kiroku',
    partitions = 4,
    isAudited = true,
    launcher,
  }: KirokuOptions = {}): Promise<ShapeSystem> {
    const monitor = await freePort()
    const nats = await startServer({ syncInterval: 'always', extraConfig: `http: "127.0.0.1:${monitor}"` })
    this.#stack.defer(() => nats.stop())
    const dataDir = await this.#run.folder()
    const start = (): Promise<EngineProcess> =>
      EngineProcess.start({
        nats: nats.url,
        partitions,
        dataDir,
        isAudited,
        launcher,
        profile: this.#run.profile,
      })
    let engine = await start()
    this.#stack.defer(() => engine.stop())
    const another = () => this.process<ShapeLoad>('shapeKiroku', nats.url)
    const load = another()
    const pids = (): Record<string, number> => {
      const [auditor] = childrenOf(engine.pid)
      return {
        client: load.pid,
        engine: engine.pid,
        'nats-server': nats.pid,
        ...(auditor === undefined ? {} : { auditor }),
      }
    }
    return {
      name,
      load,
      another,
      folder: nats.dataDir,
      spent: () => Object.fromEntries(Object.entries(pids()).map(([name, pid]) => [name, processorMs(pid)])),
      crash: async () => {
        await engine.kill()
        engine = await start()
      },
      own: {
        engine: () => engine,
        pids,
        nats,
        traffic: () => trafficAt(monitor),
        audited: async () => {
          const records = await load.ask('records')
          while (isAudited && reachedIn(dataDir) < records) await pause(lookMs)
        },
      },
    }
  }

  /** The peers that are installed, each with settings that have a message on disk before it is acknowledged. */
  async peers(): Promise<readonly ShapeSystem[]> {
    const present = presentPeers(['RabbitMQ', 'Redis', 'PostgreSQL'])
    const systems: ShapeSystem[] = []
    if (present.has('RabbitMQ')) systems.push(...(await this.#rabbit()))
    if (present.has('Redis')) systems.push(...(await this.#bull()))
    if (present.has('PostgreSQL')) systems.push(...(await this.#postgres()))
    return [...systems, ...(await this.#jetStream())]
  }

  async #rabbit(): Promise<readonly ShapeSystem[]> {
    const server = await this.#server(PeerServer.rabbit)
    return [{ ...this.#peer(rabbitName, 'shapeRabbit', server), isSingle: true }]
  }

  async #bull(): Promise<readonly ShapeSystem[]> {
    const server = await this.#server(PeerServer.redis)
    return [{ ...this.#peer('BullMQ', 'shapeBull', server), handling: { batch: 1, handlers: 100 } }]
  }

  /** A database for each, so that neither works on what the other left. */
  async #postgres(): Promise<readonly ShapeSystem[]> {
    return [
      {
        ...this.#peer('graphile-worker', 'shapeGraphile', await this.#server(PeerServer.postgres)),
        handling: { batch: 1, handlers: 100 },
      },
      {
        ...this.#peer('pg-boss', 'shapePgBoss', await this.#server(PeerServer.postgres)),
        handling: { batch: 500, handlers: 1 },
      },
    ]
  }

  async #jetStream(): Promise<readonly ShapeSystem[]> {
    const nats = await startServer({ syncInterval: 'always' })
    this.#stack.defer(() => nats.stop())
    const another = () => this.process<ShapeLoad>('shapeJetStream', nats.url)
    const load = another()
    const system = {
      load,
      another,
      folder: nats.dataDir,
      isRaw: true,
      spent: () => ({ client: processorMs(load.pid), server: processorMs(nats.pid) }),
      crash: async () => {
        await nats.kill('SIGKILL')
        await nats.restart()
      },
    }
    return [
      { ...system, name: rawName },
      { ...system, name: atomicName, sendsBatches: true },
    ]
  }

  #peer(name: string, module: string, server: PeerServer): ShapeSystem {
    const address = String(server.port)
    const another = () => this.process<ShapeLoad>(module, address)
    const load = another()
    return {
      name,
      load,
      another,
      folder: server.folder,
      spent: () => ({ client: processorMs(load.pid), server: processorMsOfAll(server.pid) }),
      crash: () => server.crash(),
    }
  }

  async #server(start: (folder: string) => Promise<PeerServer>): Promise<PeerServer> {
    const server = await start(await this.#run.folder())
    this.#stack.defer(() => server.stop())
    return server
  }

  /** A process that does its part of the load, with the client of `address`. */
  process<T extends Tasks>(module: string, address: string): LoadProcess<T> {
    const process = new LoadProcess<T>(module, module, [address], { profile: this.#run.profile })
    this.#stack.defer(() => process.end())
    return process
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack[Symbol.asyncDispose]()
  }
}

const lookMs = 20

/** The peer that sends nothing but atomic batches. */
export const atomicName = 'raw JetStream, atomic batches'

/** The same without batches. */
export const rawName = 'raw JetStream'

/** RabbitMQ with the queues that it has for what must not be lost. */
export const rabbitName = 'RabbitMQ quorum'

const trafficAt = async (monitor: number): Promise<Traffic> => {
  const answer = await fetch(`http://127.0.0.1:${monitor}/varz`)
  const said = (await answer.json()) as Record<'in_msgs' | 'out_msgs' | 'in_bytes' | 'out_bytes', number>
  return { messages: said.in_msgs + said.out_msgs, bytes: said.in_bytes + said.out_bytes }
}
