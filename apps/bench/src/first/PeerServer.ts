import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '@kiroku/testkit/free-port'

const redisBinary = '/usr/bin/redis-server'
const rabbitScript = '/usr/lib/rabbitmq/bin/rabbitmq-server'

/** Whether Debian's packages of `.ci/install-peers` are installed. */
export const hasPeers = (): boolean => existsSync(redisBinary) && existsSync(rabbitScript)

const startedWithinMs = 60_000

/** A server of another system: a child process, in its own folder, on loopback only. */
export class PeerServer {
  readonly port: number
  readonly #processes: ReadonlyArray<ChildProcess>

  private constructor(port: number, processes: ReadonlyArray<ChildProcess>) {
    this.port = port
    this.#processes = processes
  }

  /** Redis that has each write on disk before it answers. */
  static async redis(folder: string): Promise<PeerServer> {
    const port = await freePort()
    const args = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder]
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
    return PeerServer.#ready(port, [spawn(redisBinary, [...args, ...durable], { stdio: 'ignore' })])
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
    const names = spawn('epmd', [], { env, stdio: 'ignore' })
    return PeerServer.#ready(port, [names, spawn(rabbitScript, [], { env, stdio: 'ignore' })])
  }

  static async #ready(port: number, processes: ReadonlyArray<ChildProcess>): Promise<PeerServer> {
    const server = new PeerServer(port, processes)
    const deadline = performance.now() + startedWithinMs
    const last = processes.at(-1)!
    while (!(await answers(port))) {
      if (last.exitCode === null && performance.now() < deadline) await setTimeout(50)
      else {
        await server.stop()
        throw new Error(`${last.spawnfile} did not start within ${startedWithinMs / 1_000} s`)
      }
    }
    return server
  }

  async stop(): Promise<void> {
    for (const process of this.#processes.toReversed()) {
      if (process.exitCode !== null || process.signalCode !== null) continue
      const ended = once(process, 'exit')
      process.kill('SIGTERM')
      await ended
    }
  }
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
