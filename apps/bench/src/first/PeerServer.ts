import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { childrenOf } from '../console/processorTime.ts'
import { freePort } from '@kiroku/testkit/free-port'

const redisBinary = '/usr/bin/redis-server'
const rabbitScript = '/usr/lib/rabbitmq/bin/rabbitmq-server'
const postgresHome = '/usr/lib/postgresql'

/** Folder of the newest PostgreSQL's programs; a client alone brings such a folder too. */
const postgresBin = (): string | undefined =>
  existsSync(postgresHome)
    ? readdirSync(postgresHome)
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => join(postgresHome, version, 'bin'))
        .find((folder) => existsSync(join(folder, 'initdb')))
    : undefined

/** Servers of other systems, and whether Debian's package of each is installed. */
const installed = {
  Redis: () => existsSync(redisBinary),
  RabbitMQ: () => existsSync(rabbitScript),
  PostgreSQL: () => postgresBin() !== undefined,
}

export type PeerName = keyof typeof installed

/** Those of `names` that are installed here; says which are not, and how to get them. */
export const presentPeers = (names: readonly PeerName[]): ReadonlySet<PeerName> => {
  const missing = names.filter((name) => !installed[name]())
  if (missing.length > 0)
    process.stderr.write(
      `\nbench: NOT beside ${missing.join(', ')}: the server is missing here. Debian's comes with\n  .ci/install-peers\n\n`,
    )
  return new Set(names.filter((name) => !missing.includes(name)))
}

/** Debian's user for PostgreSQL, which refuses to run as root. */
const postgresUser = 'postgres'
const startedWithinMs = 60_000

/** A program of a server, and how it is started. */
type Program = readonly [path: string, args: readonly string[], options?: SpawnOptions]

/** What a server is. */
interface Setup {
  readonly folder: string
  readonly port: number
  /** The last of them serves. */
  readonly programs: readonly Program[]
  /** Whether it serves, once its port is open; default: then it does. */
  readonly isReady?: () => Promise<boolean>
  /** Ends it in order; default: SIGTERM. */
  readonly endSignal?: NodeJS.Signals
}

/** A server of another system: child processes, in its own folder, on loopback only, which end with this process. */
export class PeerServer {
  readonly port: number
  readonly folder: string
  readonly #setup: Setup
  #processes: readonly ChildProcess[] = []
  #reaper: ChildProcess | undefined

  private constructor(setup: Setup) {
    this.port = setup.port
    this.folder = setup.folder
    this.#setup = setup
  }

  /** Redis that has each write on disk before it answers. */
  static async redis(folder: string): Promise<PeerServer> {
    const port = await freePort()
    const args = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder]
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
    const programs = [[redisBinary, [...args, ...durable, '--maxmemory-policy', 'noeviction']]] as const
    return PeerServer.#ready({ folder, port, programs, isReady: () => hasLoaded(port) })
  }

  /** RabbitMQ, whose quorum queues have each write on disk before they confirm it. */
  static async rabbit(folder: string): Promise<PeerServer> {
    const [port, distPort, epmdPort] = [await freePort(), await freePort(), await freePort()]
    const plugins = join(folder, 'enabled_plugins')
    await writeFile(plugins, '[].')
    await mkdir(join(folder, 'log'))
    const env = {
      ...process.env,
      HOME: folder,
      // Its own names, or it would start a daemon that stays.
      ERL_EPMD_PORT: String(epmdPort),
      ERL_EPMD_ADDRESS: '127.0.0.1',
      RABBITMQ_NODENAME: `bench-${process.pid}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(distPort),
      RABBITMQ_MNESIA_BASE: join(folder, 'data'),
      RABBITMQ_LOG_BASE: join(folder, 'log'),
      RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
      RABBITMQ_CONFIG_FILE: join(folder, 'none'),
      RABBITMQ_CONF_ENV_FILE: join(folder, 'none-env'),
      RABBITMQ_PID_FILE: join(folder, 'pid'),
    }
    const programs = [['epmd', [], { env }] as const, [rabbitScript, [], { env }] as const]
    return PeerServer.#ready({ folder, port, programs, isReady: () => speaksAmqp(port) })
  }

  /** PostgreSQL that has each commit on disk before it confirms it. */
  static async postgres(folder: string): Promise<PeerServer> {
    const port = await freePort()
    const [bin, data] = [postgresBin()!, join(folder, 'data')]
    const user = process.getuid?.() === 0 ? await idsOf(postgresUser) : undefined
    if (user !== undefined) await chown(folder, user.uid, user.gid)
    const options = { ...user, cwd: folder, env: { ...process.env, HOME: folder } }
    const init = ['--pgdata', data, '--username', 'bench', '--auth', 'trust', '--encoding', 'UTF8']
    await ran(join(bin, 'initdb'), [...init, '--locale', 'C'], options)
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: '',
      max_connections: 200,
      fsync: 'on',
      synchronous_commit: 'on',
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const asked = ['--host', '127.0.0.1', '--port', String(port), '--dbname', 'postgres', '--quiet']
    return PeerServer.#ready({
      folder,
      port,
      programs: [[join(bin, 'postgres'), ['-D', data, ...flags], options]],
      isReady: () =>
        ran(join(bin, 'pg_isready'), asked).then(
          () => true,
          () => false,
        ),
      // By SIGTERM it would wait for its clients.
      endSignal: 'SIGINT',
    })
  }

  static async #ready(setup: Setup): Promise<PeerServer> {
    const server = new PeerServer(setup)
    await server.#start()
    return server
  }

  /** The process that serves, which others may be children of. */
  get pid(): number {
    return this.#processes.at(-1)!.pid!
  }

  async #start(): Promise<void> {
    // Groups of their own, so that whatever they start ends with them.
    this.#processes = this.#setup.programs.map(([path, args, options]) =>
      spawn(path, args, { ...options, stdio: 'ignore', detached: true }),
    )
    this.#reaper = reaperOf(this.#processes, this.folder)
    const deadline = performance.now() + startedWithinMs
    const last = this.#processes.at(-1)!
    const { isReady = () => Promise.resolve(true) } = this.#setup
    while (!(await answers(this.port)) || !(await isReady())) {
      if (last.exitCode === null && performance.now() < deadline) await setTimeout(5)
      else {
        await this.stop()
        throw new Error(`${last.spawnfile} did not start within ${startedWithinMs / 1_000} s`)
      }
    }
  }

  /** Kills all of it, with whatever it holds in memory, and starts it on what it has on disk; resolves when it serves. */
  async crash(): Promise<void> {
    const all = this.#processes.flatMap(({ pid }) => [pid!, ...descendantsOf(pid!)])
    for (const pid of all) killed(pid)
    await this.#end('SIGKILL')
    // What is left of them would keep the next one out.
    while (all.some((pid) => existsSync(`/proc/${pid}/exe`))) await setTimeout(1)
    await this.#start()
  }

  stop(): Promise<void> {
    return this.#end(this.#setup.endSignal ?? 'SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    for (const child of this.#processes.toReversed()) {
      const isOver = child.exitCode !== null || child.signalCode !== null || child.pid === undefined
      const ended = isOver ? undefined : once(child, 'exit')
      // The group: a server that has ended may have left some of it behind.
      child.kill(signal)
      await ended
      if (child.pid !== undefined) killed(-child.pid)
    }
    this.#reaper?.kill('SIGKILL')
  }
}

/** Kills a process, or the group of one whose id it is negated. */
const killed = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}

/** What a process started, and what that did. */
const descendantsOf = (pid: number): number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])

/** Whether Redis has read what it has on disk; until then it says that it is loading. */
const hasLoaded = async (port: number): Promise<boolean> => {
  const said = await saysTo(port, 'PING\r\n')
  return said?.toString().startsWith('+PONG') === true
}

/** Whether RabbitMQ begins a connection: its port may be open, and closed again, before. */
const speaksAmqp = async (port: number): Promise<boolean> => {
  const said = await saysTo(port, 'AMQP\x00\x00\x09\x01')
  return said?.[0] === 1
}

/** What a server says first when it is told something; undefined: it takes no connection, or ends it. */
const saysTo = (port: number, text: string): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text))
    socket.once('error', () => resolve(undefined))
    socket.once('close', () => resolve(undefined))
    socket.once('data', (said) => {
      resolve(said)
      socket.destroy()
    })
  })

/** Ends the groups of these processes, and removes their folder, when this process is gone, however it went: then its input ends. */
const reaperOf = (processes: readonly ChildProcess[], folder: string): ChildProcess => {
  const script = 'cat >/dev/null; folder=$1; shift; kill -9 "$@"; rm -rf -- "$folder"'
  const groups = processes.map(({ pid }) => `-${pid}`)
  const reaper = spawn('sh', ['-c', script, 'reaper', folder, ...groups], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  reaper.unref()
  return reaper
}

/** Ids of a user and of its group. */
const idsOf = async (user: string): Promise<{ uid: number; gid: number }> => {
  const [uid, gid] = [await ran('id', ['-u', user]), await ran('id', ['-g', user])]
  return { uid: Number(uid), gid: Number(gid) }
}

/** What a program says; it must succeed. */
const ran = async (path: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> => {
  const child = spawn(path, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  child.stdout!.on('data', (chunk: Buffer) => said.push(chunk))
  child.stderr!.on('data', (chunk: Buffer) => said.push(chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  const text = Buffer.concat(said).toString()
  if (code !== 0) throw new Error(`${path} failed: ${text}`)
  return text
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
