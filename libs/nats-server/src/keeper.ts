/**
 * The keeper: a process of its own that owns the managed nats-server of one folder. Engines hold a connection to its
 * socket; when none has for the grace time, it stops the server and ends. When the server dies, it starts it again.
 * It imports nothing but `node:` modules and its neighbours, so that it starts fast.
 */
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { configFileOf, launch, type LaunchFailure } from './launch.ts'
import {
  diskPollMs,
  graceMsDefault,
  healedBytes,
  restartPauseMsMax,
  restartPauseMsMin,
  socketPathBytesMax,
  starvedBytes,
  stopTimeoutMs,
  storeGrowthPollMs,
  storeGrowthShare,
} from './limits.ts'
import {
  readLastPort,
  readState,
  usualSocketOf,
  writeLastPort,
  writeState,
  type KeeperMessage,
  type KeeperSpec,
  type RunningServer,
} from './ManagedState.ts'
import { compareVersions } from './NatsBinary.ts'
import { runsWith } from './runsWith.ts'
import { serverConfig, type ServerSettings } from './serverConfig.ts'
import { bytesIn, diskOf } from './StoreDisk.ts'
import { takeLock } from './takeLock.ts'

// The store, its configuration and its log are for this user alone.
process.umask(0o077)

const spec = JSON.parse(process.argv[2] ?? '{}') as KeeperSpec
const { folder } = spec

const unlock = takeLock(join(folder, 'keeper.lock'))
if (unlock === undefined) process.exit(0)

// Nobody else names it, and what nobody names is collected and closed, which would free the lock.
process.on('exit', unlock)

const before = readState(folder)
const socketInFolder = usualSocketOf(folder)
const isShort = Buffer.byteLength(socketInFolder) <= socketPathBytesMax
const elsewhere = join(tmpdir(), 'kiroku-keeper-')

const removeSocket = (path: string) => {
  rmSync(path, { force: true })
  if (path.startsWith(elsewhere) && existsSync(dirname(path))) rmdirSync(dirname(path))
}

if (before !== undefined) removeSocket(before.socket)
rmSync(socketInFolder, { force: true })
const socket = isShort ? socketInFolder : join(mkdtempSync(elsewhere), 'keeper.sock')

const leases = new Set<Socket>()
let told: KeeperMessage | undefined
let { graceMs } = spec
let grace: NodeJS.Timeout | undefined
let wasNeeded = false
let stopping = false
let server: RunningServer | undefined
/** The server's process, also while it starts. */
let serverPid: number | undefined
let serverExited: Promise<void> = Promise.resolve()

const note = () => {
  try {
    writeState({ folder, keeperPid: process.pid, socket, server })
  } catch (error) {
    // A full disk must not cost the engines their server: they hear of it on the socket.
    console.error(error)
  }
}

const send = (lease: Socket, message: KeeperMessage) => lease.write(`${JSON.stringify(message)}\n`)

const tell = (message: KeeperMessage) => {
  told = message
  for (const lease of leases) send(lease, message)
}

const signalServer = (signal: NodeJS.Signals) => {
  try {
    if (serverPid !== undefined) process.kill(serverPid, signal)
  } catch {
    // It ended a moment ago.
  }
}

const stop = async (exitCode = 0) => {
  stopping = true
  door.close()
  signalServer('SIGTERM')
  await Promise.race([serverExited, pause(stopTimeoutMs)])
  signalServer('SIGKILL')
  removeSocket(socket)
  rmSync(join(folder, 'keeper.json'), { force: true })
  process.exit(exitCode)
}

const watchLeases = () => {
  clearTimeout(grace)
  if (leases.size > 0 || stopping) return
  // The process that started us may take a moment to connect, also to hear why the server did not start.
  const waitMs = !wasNeeded ? graceMsDefault : told?.type === 'failed' ? 0 : graceMs
  grace = setTimeout(() => void stop(), waitMs)
}

const door = createServer((lease) => {
  wasNeeded = true
  leases.add(lease)
  watchLeases()
  lease.on('error', () => {})
  lease.on('close', () => {
    leases.delete(lease)
    watchLeases()
  })
  lease.resume()
  if (told !== undefined) send(lease, told)
})

process.on('uncaughtException', (error) => {
  console.error(error)
  // Nobody would watch the server any more. Engines start another keeper.
  void stop(1)
})

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => {
    // A shutdown of the machine signals engines and keeper alike: engines still need the server to drain.
    graceMs = 0
    watchLeases()
  })

const serverArguments = `-c ${configFileOf(folder)}`

const untilGone = async (pid: number) => {
  while (runsWith(pid, serverArguments)) await pause(100)
}

/** The server that a keeper before us left behind, if it still runs. */
const findOrphan = async (): Promise<RunningServer | undefined> => {
  let pid: number
  try {
    pid = Number(readFileSync(join(folder, 'nats.pid'), 'utf8'))
  } catch {
    return undefined
  }
  if (!(pid > 0) || !runsWith(pid, serverArguments)) return undefined
  const left = before?.server?.pid === pid ? before.server : undefined
  if (left?.isClosed === true) return { ...left, orphan: true }
  // It was still starting when its keeper died: nobody uses it yet, and we do not know its settings. Or an earlier version
  // started it, open to everybody.
  process.kill(pid, left === undefined ? 'SIGKILL' : 'SIGTERM')
  await untilGone(pid)
  return undefined
}

const own = (pid: number | undefined, exited: Promise<unknown>) => {
  serverPid = pid
  serverExited = exited.then(() => {
    serverPid = undefined
  })
}

const settingsOf = (port: number, storeBytesMax: number | undefined): ServerSettings => ({
  host: spec.host,
  port,
  serverName: 'kiroku-managed',
  folder,
  storeDir: folder,
  storeBytesMax,
  syncInterval: spec.syncInterval,
  maxPayloadBytes: spec.maxPayloadBytes,
  extraConfig: 'include ./access/users.conf',
})

/** What the store may hold on its disk: so the server says no before the disk is full, after which it would not work again. */
const storeLimit = (): number => bytesIn(join(folder, 'jetstream')) + diskOf(folder).usableBytes

const start = async (port: number): Promise<LaunchFailure | undefined> => {
  const { freeBytes } = diskOf(folder)
  if (freeBytes < starvedBytes)
    return {
      id: 'StorageFull',
      message: `nats-server cannot start: the disk of ${folder} has ${Math.floor(freeBytes / 1e6)} MB free and it needs ${Math.ceil(starvedBytes / 1e6)} MB. Free some, then try again.`,
    }
  const storeBytesMax = storeLimit()
  const result = await launch(spec.binary, {
    ...settingsOf(port, storeBytesMax),
    onSpawn: (child: ChildProcess, exited: Promise<void>) => own(child.pid, exited),
  })
  if (!('child' in result)) return result
  const { host, version, syncInterval, maxPayloadBytes } = spec
  const { pid } = result
  server = {
    ...{ pid, host, port: result.port, version, syncInterval, maxPayloadBytes },
    storeBytesMax,
    isClosed: true,
    orphan: false,
  }
  return undefined
}

/** Ends the server; the supervisor starts it again. */
const restartServer = async () => {
  const pid = serverPid
  signalServer('SIGTERM')
  await Promise.race([serverExited, pause(stopTimeoutMs)])
  if (serverPid === pid) signalServer('SIGKILL')
}

/** Since this version a server takes a larger `max_file_store` while it runs. */
const reloadsSince = '2.15.0'

/** Lets the store grow where its disk has more room than it was started with. */
const growStore = async () => {
  const before = server?.storeBytesMax
  if (server === undefined || before === undefined) return
  const storeBytesMax = storeLimit()
  if (storeBytesMax < before * (1 + storeGrowthShare)) return
  if (compareVersions(server.version, reloadsSince) < 0) {
    // It has to be started again for that, which nobody wants before it runs short.
    if (before - bytesIn(join(folder, 'jetstream')) < before * 2 * storeGrowthShare) await restartServer()
    return
  }
  writeFileSync(configFileOf(folder), serverConfig(settingsOf(server.port, storeBytesMax)))
  signalServer('SIGHUP')
  server = { ...server, storeBytesMax }
  announce()
}

const watchDisk = async () => {
  let isStarved = false
  let grownAtMs = performance.now()
  while (!stopping) {
    await pause(diskPollMs)
    try {
      const { freeBytes } = diskOf(folder)
      if (freeBytes < starvedBytes) isStarved = true
      else if (isStarved && freeBytes >= healedBytes) {
        isStarved = false
        await restartServer()
      } else if (performance.now() - grownAtMs >= storeGrowthPollMs) {
        grownAtMs = performance.now()
        await growStore()
      }
    } catch (error) {
      console.error(error)
    }
  }
}

const announce = () => {
  note()
  if (server !== undefined) writeLastPort(folder, server.port)
  if (server !== undefined) tell({ type: 'running', keeperPid: process.pid, server })
}

/** Long enough to say that the server was well before it died. */
const wellAfterMs = 10_000

/** The first start: where any port will do, on the folder's last one, so that clients find the server again, or the preferred. */
const startFirst = async (): Promise<LaunchFailure | undefined> => {
  const wished = spec.port === 0 ? readLastPort(folder) || spec.portPreferred : undefined
  if (wished !== undefined && (await start(wished)) === undefined) return undefined
  return start(spec.port)
}

const supervise = async () => {
  server = await findOrphan()
  if (server === undefined) {
    const failure = await startFirst()
    if (failure !== undefined) {
      tell({ type: 'failed', failure })
      return
    }
  } else own(server.pid, untilGone(server.pid))
  let pauseMs = restartPauseMsMin
  while (!stopping && server !== undefined) {
    announce()
    const { port }: RunningServer = server
    const sinceMs = performance.now()
    await serverExited
    told = undefined
    if (performance.now() - sinceMs > wellAfterMs) pauseMs = restartPauseMsMin
    do {
      if (stopping) return
      await pause(pauseMs)
      pauseMs = Math.min(pauseMs * 2, restartPauseMsMax)
    } while (!stopping && (await start(port)) !== undefined)
  }
}

door.listen(socket, () => {
  note()
  watchLeases()
  void supervise()
  void watchDisk()
})
