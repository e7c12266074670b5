import { spawn } from 'node:child_process'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Access, announceAccess } from '@kiroku/nats-access'
import { KirokuError } from '@kiroku/protocol'
import { managedFolderOf, type KeeperSpec, type RunningServer } from './ManagedState.ts'
import { isSupported, probe } from './NatsBinary.ts'
import { ensureNatsServer, type EnsureOptions } from './ensureNatsServer.ts'
import { takeLease, type Lease } from './lease.ts'
import { graceMsDefault, maxPayloadBytesDefault, readyTimeoutMs } from './limits.ts'
import { managedDisk, type ManagedDisk } from './managedDisk.ts'
import { requireEntries } from './requireEntries.ts'

/** Settings of {@link startManaged}. They count when the server has to be started; one that runs keeps its own. */
export interface StartManagedOptions {
  /** The engine's data folder; the server lives in its folder `nats`. Made when missing. */
  readonly dataDir: string
  /** Port to listen on; a free one when left out or 0. */
  readonly port?: number
  /** Taken where it is free, `port` is left out, and the folder's server had no other one before. */
  readonly portPreferred?: number
  /** Loopback address to listen on, 127.0.0.1 by default. */
  readonly host?: string
  /** The executable; found or fetched by {@link ensureNatsServer} when left out. */
  readonly binary?: string
  /** JetStream's `sync_interval`, `always` by default. */
  readonly syncInterval?: string
  /** Largest message in bytes, 8 MiB by default. */
  readonly maxPayloadBytes?: number
  /** How much memory the server may take for data, about, in bytes; as much as it likes when left out, or when GOMEMLIMIT is set. */
  readonly memoryBytes?: number
  /** How long the server stays when no engine needs it, in ms, 10 s by default. */
  readonly graceMs?: number
  /** How a server is fetched where there is none. */
  readonly fetch?: Omit<EnsureOptions, 'env'>
}

/** The nats-server of a data folder, shared by all engines of that folder. */
export interface ManagedServer {
  readonly url: string
  readonly port: number
  /** The keys to it. */
  readonly access: Access
  /** Whether only users with a key may enter; one that an earlier version of Kiroku keeps running is open to everybody. */
  readonly isClosed: boolean
  /** The server's present process; it changes when the server died and was started again. */
  readonly pid: number
  /** Whether the server was running before this call. */
  readonly adopted: boolean
  readonly version: string
  /** As the running server is configured. */
  readonly syncInterval: string
  /** As the running server is configured, in bytes. */
  readonly maxPayloadBytes: number
  /** The disk that it stores on, now. */
  disk(): ManagedDisk
  /** Gives the server back. It stops by itself once no engine has needed it for the grace time. */
  release(): Promise<void>
}

/** What the keeper, its server and we write into the folder. */
const ownEntries = {
  folders: ['access', 'jetstream'],
  files: [
    'keeper.lock',
    'keeper.log',
    'keeper.json',
    'last-port',
    'nats.err',
    'nats.log',
    'nats.pid',
    'server.conf',
    'access/context.json',
    'access/users.conf',
  ],
}

/** The keeper's program: a neighbour of this file in the source, of the bundle where we are built. */
const keeperFile = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './keeper.ts' : './nats-keeper.mjs', import.meta.url),
)

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** What the keeper passes on to the server: beyond this, Go collects rather than grows. */
const memoryEnv = (bytes: number | undefined) =>
  bytes === undefined || process.env['GOMEMLIMIT'] ? {} : { GOMEMLIMIT: String(Math.floor(bytes)) }

const startKeeper = (spec: KeeperSpec, memoryBytes: number | undefined) => {
  const log = openSync(join(spec.folder, 'keeper.log'), 'a')
  const child = spawn(process.execPath, [keeperFile, JSON.stringify(spec)], {
    cwd: spec.folder,
    detached: true,
    // A debugger or a hook meant for the engine is not meant for its keeper.
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '', ...memoryEnv(memoryBytes) },
    stdio: ['ignore', 'ignore', log],
  })
  closeSync(log)
  const keeper = {
    pid: child.pid,
    exitCode: undefined as number | undefined,
    gone: false,
    kill: () => child.kill('SIGKILL'),
  }
  child.once('error', () => (keeper.gone = true))
  child.once('exit', (code) => {
    keeper.gone = true
    keeper.exitCode = code ?? undefined
  })
  child.unref()
  return keeper
}

const specOf = async (options: StartManagedOptions, folder: string): Promise<KeeperSpec> => {
  const { binary, fetch } = options
  const found = binary === undefined ? await ensureNatsServer(fetch) : await probe(resolve(binary))
  if (found === undefined)
    throw new KirokuError('NatsServerMissing', `${binary} is not a nats-server that runs on this machine.`)
  if (!isSupported(found.version))
    throw new KirokuError('NatsTooOld', `${found.path} is nats-server ${found.version}.`)
  return {
    folder,
    binary: found.path,
    version: found.version,
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    ...(options.portPreferred === undefined ? {} : { portPreferred: options.portPreferred }),
    syncInterval: options.syncInterval ?? 'always',
    maxPayloadBytes: options.maxPayloadBytes ?? maxPayloadBytesDefault,
    graceMs: options.graceMs ?? graceMsDefault,
  }
}

interface Held {
  readonly lease: Lease
  readonly server: RunningServer
  readonly adopted: boolean
  readonly keeperPid: number
}

/** A keeper tells of a server that does not become ready; this long we wait for the keeper. */
const holdTimeoutMs = readyTimeoutMs + 10_000

/** Connects to the folder's keeper, starting one where there is none, until the server runs. */
const hold = async (
  folder: string,
  start: () => Promise<ReturnType<typeof startKeeper>>,
  onServer: (server: RunningServer) => void,
  onClosed: () => void,
): Promise<Held> => {
  let deadlineMs = performance.now() + holdTimeoutMs
  let keeper: ReturnType<typeof startKeeper> | undefined
  let pauseMs = 5
  while (performance.now() < deadlineMs) {
    let isHeld = false
    const lease = await takeLease(
      folder,
      (message) => message.type === 'running' && onServer(message.server),
      () => isHeld && onClosed(),
    )
    const first = await lease?.first
    if (lease !== undefined && first?.type === 'running') {
      isHeld = true
      const { server, keeperPid } = first
      // Another engine's keeper was faster. Ours must not come to life after that one has ended.
      if (keeperPid !== keeper?.pid) keeper?.kill()
      return { lease, server, keeperPid, adopted: server.orphan || keeperPid !== keeper?.pid }
    }
    if (lease !== undefined && first?.type === 'failed') {
      await lease.release()
      throw new KirokuError(first.failure.id, first.failure.message)
    }
    if (keeper?.exitCode !== undefined && keeper.exitCode !== 0) {
      const log = join(folder, 'keeper.log')
      const reason = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').slice(-8).join('\n') : ''
      throw new KirokuError('Internal', `The keeper of nats-server ended (log: ${log}): ${reason}`)
    }
    if (keeper === undefined || keeper.gone) {
      // A keeper that found the lock taken ends at once: another one starts or stops just now.
      if (keeper !== undefined) await pause((pauseMs = Math.min(pauseMs * 2, 200)))
      keeper = await start()
      // A download takes as long as it takes.
      deadlineMs = performance.now() + holdTimeoutMs
    }
    await pause(5)
  }
  throw new KirokuError('NatsUnreachable', `The managed nats-server of ${folder} did not become ready.`)
}

/** The keys to the server of a folder, made where they are missing; `isNew`: a server that runs does not know them. */
const prepared = (folder: string): { readonly access: Access; readonly isNew: boolean } => {
  const access = new Access(folder)
  try {
    return { access, isNew: access.prepare() }
  } catch (cause) {
    if (cause instanceof KirokuError) throw cause
    const { code, message } = cause as NodeJS.ErrnoException
    throw new KirokuError(
      code === 'ENOSPC' ? 'StorageFull' : 'NatsUnreachable',
      `nats-server cannot be started: ${message}.`,
      { cause },
    )
  }
}

/** Ends a server that runs, and waits until its keeper has started it again, with its configuration as it is now. */
const restarted = async (pid: number, pidNow: () => number | undefined): Promise<void> => {
  const deadlineMs = performance.now() + holdTimeoutMs
  process.kill(pid, 'SIGTERM')
  while (pidNow() === pid && performance.now() < deadlineMs) await pause(20)
}

/**
 * Runs the nats-server of a data folder, or joins the one that already runs there: after a crash of the engine, or
 * beside other engines of the same folder. It outlives this process and stops by itself when no engine needs it.
 *
 * @throws KirokuError `NatsServerMissing`, `NatsTooOld`, `PortInUse`, `NatsUnreachable` (it does not start), or
 *   `InvalidArgument` (another port than the one it runs on; a host beyond loopback), `InvalidConfig` (a key that cannot be
 *   read)
 */
export const startManaged = async (options: StartManagedOptions): Promise<ManagedServer> => {
  if (options.host !== undefined && !isLoopback(options.host))
    throw new KirokuError(
      'InvalidArgument',
      `The managed nats-server speaks no TLS, so it listens on loopback only, not on ${options.host}.`,
    )
  requireEntries(options.dataDir, { folders: [basename(managedFolderOf(options.dataDir))] })
  mkdirSync(managedFolderOf(options.dataDir), { recursive: true, mode: 0o700 })
  const folder = realpathSync(managedFolderOf(options.dataDir))
  // One that an earlier version made may be open to all.
  chmodSync(folder, 0o700)
  requireEntries(folder, ownEntries)
  const { access, isNew } = prepared(folder)
  let released = false
  let server: RunningServer | undefined
  let held: Held

  const again = async () => {
    // The keeper was killed. Another one finds the server still running; the port must not change under its users.
    while (!released) {
      try {
        const next = await acquire(server?.port ?? 0)
        if (released) await next.lease.release()
        else held = next
        return
      } catch {
        await pause(1_000, undefined, { ref: false })
      }
    }
  }
  const acquire = async (port: number): Promise<Held> => {
    const found = await hold(
      folder,
      async () => startKeeper({ ...(await specOf(options, folder)), port }, options.memoryBytes),
      (now) => (server = now),
      () => void again(),
    )
    announceAccess([found.server.port], { serverFolder: folder, keeperPid: found.keeperPid })
    return found
  }

  held = await acquire(options.port ?? 0)
  if (isNew && held.adopted) await restarted(held.server.pid, () => server?.pid)
  const first = held.server
  if (options.port !== undefined && options.port !== 0 && options.port !== first.port) {
    released = true
    await held.lease.release()
    throw new KirokuError(
      'InvalidArgument',
      `The nats-server of ${options.dataDir} already runs on port ${first.port}, not ${options.port}: use that port, or stop the engines of this folder first.`,
    )
  }
  const { host, port, version, syncInterval, maxPayloadBytes } = first
  const url = `nats://${host.includes(':') ? `[${host}]` : host}:${port}`
  access.writeContext(url)
  return {
    url,
    port,
    access,
    isClosed: first.isClosed === true,
    get pid() {
      return server?.pid ?? first.pid
    },
    adopted: held.adopted,
    version,
    syncInterval,
    maxPayloadBytes,
    disk: () => managedDisk(folder, server ?? first),
    release: async () => {
      if (released) return
      released = true
      await held.lease.release()
    },
  }
}
