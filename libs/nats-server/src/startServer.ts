import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Access } from '@kiroku/nats-access'
import { KirokuError } from '@kiroku/protocol'
import { ensureNatsServer } from './ensureNatsServer.ts'
import { launch, type Launched } from './launch.ts'
import { maxPayloadBytesDefault, stopTimeoutMs } from './limits.ts'

/** Settings of {@link startServer}. */
export interface StartServerOptions {
  /** Where configuration, log and store lie; kept at `stop`. A temporary folder, removed at `stop`, when left out. */
  readonly dataDir?: string
  /** Port to listen on; a free one when left out or 0. */
  readonly port?: number
  /** The executable; found by {@link ensureNatsServer} when left out. */
  readonly binary?: string
  /** JetStream's `sync_interval`, `always` by default. */
  readonly syncInterval?: string
  /** Largest message in bytes, 8 MiB by default. */
  readonly maxPayloadBytes?: number
  /** Whether JetStream is on, by default it is. */
  readonly jetStream?: boolean
  /** Name of the server, for clusters. */
  readonly serverName?: string
  /** The keys without which nobody enters; absent: it is open. */
  readonly access?: Access
  /** More lines in nats-server's own configuration language (authorization, cluster, TLS). */
  readonly extraConfig?: string
}

/** A nats-server that lives at most as long as this process. */
export interface Server {
  readonly url: string
  readonly port: number
  /** The present process; another one after `restart`. */
  readonly pid: number
  readonly dataDir: string
  /** The server's log file. */
  readonly logFile: string
  /** Sends `signal`; after SIGKILL, SIGTERM or SIGINT waits until the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Ends the server where it still runs and starts it again on the same port and data. */
  restart(): Promise<void>
  /** Ends the server and removes its temporary folder. */
  stop(): Promise<void>
}

/**
 * Kills the server and removes its temporary folder when this process is gone, however it went: a shell that reads
 * from us sees the end of its input even after SIGKILL.
 */
const startReaper = (folder: string) => {
  const script =
    'pid=; while read -r line; do pid=$line; done; [ -z "$pid" ] || kill -9 "$pid"; [ -z "$1" ] || rm -rf -- "$1"'
  const shell = spawn('sh', ['-c', script, 'reaper', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.unref()
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  shell.stdin.on('error', () => {})
  return {
    watch: (pid: number | undefined): void => void shell.stdin.write(`${pid ?? ''}\n`),
    end: (): void => void shell.kill('SIGKILL'),
  }
}

/** The server looks for what its configuration includes from that one's own folder on. */
const included = (folder: string, access: Access | undefined): readonly string[] =>
  access === undefined ? [] : [`include ${JSON.stringify(relative(folder, access.configFile))}`]

const ending: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT'])

/**
 * Starts a nats-server of one's own, for tests and benchmarks: on loopback, on a free port, in a temporary folder.
 *
 * @throws KirokuError `PortInUse`, `NatsServerMissing`, `NatsTooOld`, `NatsUnreachable`
 */
export const startServer = async (options: StartServerOptions = {}): Promise<Server> => {
  const binary = options.binary ?? (await ensureNatsServer()).path
  const temporary = options.dataDir === undefined
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'kiroku-nats-')))
  const reaper = startReaper(temporary ? dataDir : '')
  let stopped = false
  let running: Launched | undefined

  const start = async (port: number): Promise<Launched> => {
    const result = await launch(binary, {
      host: '127.0.0.1',
      port,
      serverName: options.serverName ?? `kiroku-${process.pid}`,
      folder: dataDir,
      storeDir: options.jetStream === false ? undefined : dataDir,
      storeBytesMax: undefined,
      syncInterval: options.syncInterval ?? 'always',
      maxPayloadBytes: options.maxPayloadBytes ?? maxPayloadBytesDefault,
      extraConfig: [options.extraConfig ?? '', ...included(dataDir, options.access)].join('\n').trim(),
      onSpawn: (child) => reaper.watch(child.pid),
    })
    if (!('child' in result)) throw new KirokuError(result.id, result.message)
    // A server that its user forgot must not keep the process alive: the reaper sees to the rest.
    result.child.unref()
    void result.exited.then(() => {
      if (running === result) running = undefined
      if (running === undefined) reaper.watch(undefined)
    })
    running = result
    return result
  }

  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const target = running
    if (target === undefined) return
    target.child.kill(signal)
    if (!ending.has(signal)) return
    target.child.ref()
    await target.exited
  }

  const end = async (): Promise<void> => {
    const target = running
    if (target === undefined) return
    // A frozen server does not hear SIGTERM.
    target.child.ref()
    target.child.kill('SIGCONT')
    target.child.kill('SIGTERM')
    const timer = new AbortController()
    await Promise.race([
      target.exited,
      pause(stopTimeoutMs, undefined, { signal: timer.signal }).catch(() => {}),
    ])
    timer.abort()
    await kill('SIGKILL')
  }

  const cleanUp = async (): Promise<void> => {
    if (temporary) await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
    reaper.end()
  }

  let first: Launched
  try {
    first = await start(options.port ?? 0)
  } catch (error) {
    await cleanUp()
    throw error
  }
  const { port } = first
  let pid = first.pid
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    get pid() {
      return pid
    },
    dataDir,
    logFile: join(dataDir, 'nats.log'),
    kill,
    restart: async () => {
      if (stopped) throw new KirokuError('Stopped', 'This nats-server was stopped; start a new one.')
      await end()
      pid = (await start(port)).pid
    },
    stop: async () => {
      if (stopped) return
      stopped = true
      await end()
      await cleanUp()
    },
  }
}
