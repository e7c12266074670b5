import { Access } from '@kiroku/nats-access'
import { freePort, temporaryFolder, waitUntil } from '@kiroku/testkit'
import { spawn } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { managedStatus } from './managedStatus.ts'
import { runsWith } from './runsWith.ts'
import { startManaged, type ManagedServer, type StartManagedOptions } from './startManaged.ts'
import { startServer } from './startServer.ts'
import { askByHand, type KeyedServer } from './testing/askByHand.ts'

const runs = (pid: number) => runsWith(pid, 'server.conf')

const dataFolder = async (name = 'data'): Promise<string> => {
  const folder = await temporaryFolder()
  const dataDir = join(folder.path, name)
  onTestFinished(async () => {
    await waitUntil(() => managedStatus(dataDir) === undefined, { what: 'the keeper is gone' })
    await folder.remove()
  })
  await mkdir(dataDir)
  return dataDir
}

/** Joins the folder's server from this process; given back at the end of the test, and gone soon after. */
const joinServer = async (options: StartManagedOptions): Promise<ManagedServer> => {
  const server = await startManaged({ graceMs: 300, ...options })
  onTestFinished(() => server.release())
  return server
}

/** An engine as a process of its own. */
const startEngine = async (dataDir: string, graceMs = 300) => {
  const script = `
    import { startManaged } from '${join(import.meta.dirname, 'startManaged.ts')}'
    const { pid, port, adopted } = await startManaged(${JSON.stringify({ dataDir, graceMs })})
    console.log(JSON.stringify({ pid, port, adopted }))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const line = await new Promise<string>((resolve) =>
    createInterface({ input: child.stdout }).once('line', resolve),
  )
  const server = JSON.parse(line) as { pid: number; port: number; adopted: boolean }
  const access = new Access(join(dataDir, 'nats'))
  return { ...server, access, kill: () => child.kill('SIGKILL') }
}

const storedIn = async (server: KeyedServer): Promise<unknown> => {
  const info = JSON.parse((await askByHand(server, '$JS.API.STREAM.INFO.KEPT', '')) ?? '{}') as {
    state?: { messages: number }
  }
  return info.state?.messages
}

const store = async (server: KeyedServer) => {
  const stream = { name: 'KEPT', subjects: ['kiroku.kept'], storage: 'file' }
  await askByHand(server, '$JS.API.STREAM.CREATE.KEPT', JSON.stringify(stream))
  await askByHand(server, 'kiroku.kept', 'one')
  await askByHand(server, 'kiroku.kept', 'two')
}

/** Kills the keeper and waits until another one watches the server. */
const replaceKeeper = async (dataDir: string) => {
  const before = await waitUntil(() => managedStatus(dataDir))
  process.kill(before.keeperPid, 'SIGKILL')
  const after = await waitUntil(() => {
    const status = managedStatus(dataDir)
    return status?.keeperPid === before.keeperPid ? undefined : status
  })
  return { before, after }
}

test('a server started anew listens on loopback, syncs always and takes 8 MiB', async () => {
  const dataDir = await dataFolder()
  const server = await joinServer({ dataDir })
  expect(server).toMatchObject({ adopted: false, syncInterval: 'always', maxPayloadBytes: 8 * 1024 * 1024 })
  expect(server.url).toBe(`nats://127.0.0.1:${server.port}`)
  const config = await readFile(join(dataDir, 'nats/server.conf'), 'utf8')
  expect(config).toContain('sync_interval: "always"')
  const hello = await new Promise<string>((resolve) => {
    const socket = connect(server.port, '127.0.0.1').once('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
  })
  expect(hello).toContain('"max_payload":8388608')
  expect(managedStatus(dataDir)).toMatchObject({
    pid: server.pid,
    port: server.port,
    version: server.version,
  })
})

test('the server is found again after the engine was killed, with its data', async () => {
  const dataDir = await dataFolder()
  const engine = await startEngine(dataDir, 20_000)
  await store(engine)
  engine.kill()
  const server = await joinServer({ dataDir })
  expect(server).toMatchObject({ adopted: true, pid: engine.pid, port: engine.port })
  expect(await storedIn(server)).toBe(2)
  process.kill(managedStatus(dataDir)?.keeperPid ?? 0, 'SIGTERM')
})

test('engines that start at once share one server', async () => {
  const dataDir = await dataFolder()
  const servers = await Promise.all([1, 2, 3, 4].map(() => joinServer({ dataDir })))
  expect(new Set(servers.map((server) => server.pid)).size).toBe(1)
  expect(servers.filter((server) => !server.adopted)).toHaveLength(1)
})

test('the server is gone once its last engine was released or killed, and not before', async () => {
  const dataDir = await dataFolder()
  const engine = await startEngine(dataDir)
  const server = await joinServer({ dataDir })
  const first = performance.now()
  await server.release()
  await waitUntil(() => performance.now() - first > 600)
  expect(runs(engine.pid)).toBe(true)
  const last = performance.now()
  engine.kill()
  await waitUntil(() => !runs(engine.pid), { what: 'the server is gone' })
  expect(performance.now() - last).toBeGreaterThanOrEqual(295)
  await waitUntil(() => managedStatus(dataDir) === undefined)
  expect(existsSync(join(dataDir, 'nats/keeper.sock'))).toBe(false)
})

test('an engine that starts while the server stops gets a running one', async () => {
  const dataDir = await dataFolder()
  const before = await joinServer({ dataDir, graceMs: 0 })
  await store(before)
  await before.release()
  const server = await joinServer({ dataDir })
  expect(await storedIn(server)).toBe(2)
})

test('the port that is preferred is taken where it is free, and a folder keeps the one it has', async () => {
  const portPreferred = await freePort()
  const [first, second] = [await dataFolder('first'), await dataFolder('second')]
  const owner = await joinServer({ dataDir: first, portPreferred })
  expect(owner.port).toBe(portPreferred)
  const other = await startManaged({ dataDir: second, portPreferred, graceMs: 1 })
  const { port } = other
  expect(port).not.toBe(portPreferred)

  await other.release()
  await owner.release()
  for (const folder of [first, second])
    await waitUntil(() => managedStatus(folder) === undefined, { what: 'the keeper is gone' })
  expect((await joinServer({ dataDir: second, portPreferred })).port).toBe(port)
})

test('a killed server is started again on the same port with its data', async () => {
  const dataDir = await dataFolder()
  const server = await joinServer({ dataDir })
  await store(server)
  for (const round of [1, 2]) {
    const { pid } = server
    process.kill(pid, 'SIGKILL')
    await waitUntil(() => server.pid !== pid, { what: `the server runs again (${round})` })
    expect(await storedIn(server)).toBe(2)
  }
})

test('a killed keeper is replaced, and the server runs on undisturbed', async () => {
  const dataDir = await dataFolder()
  const server = await joinServer({ dataDir })
  const { before, after } = await replaceKeeper(dataDir)
  expect(after).toMatchObject({ pid: before.pid, port: before.port })
  // The new keeper watches it as the old one did.
  process.kill(server.pid, 'SIGKILL')
  await waitUntil(() => server.pid !== before.pid)
  expect(server.port).toBe(before.port)
})

test('an engine that comes after engine and keeper were killed adopts the server they left', async () => {
  const dataDir = await dataFolder()
  const engine = await startEngine(dataDir)
  const keeperPid = managedStatus(dataDir)?.keeperPid ?? 0
  engine.kill()
  process.kill(keeperPid, 'SIGKILL')
  await waitUntil(() => managedStatus(dataDir) === undefined)
  const server = await joinServer({ dataDir })
  expect(server).toMatchObject({ adopted: true, pid: engine.pid, port: engine.port })
})

test('a pid file that by now names another program is not believed', async () => {
  const dataDir = await dataFolder()
  await mkdir(join(dataDir, 'nats'))
  await writeFile(join(dataDir, 'nats/nats.pid'), String(process.pid))
  const server = await joinServer({ dataDir })
  expect(server).toMatchObject({ adopted: false })
})

test('a copied data folder gets a server of its own', async () => {
  const dataDir = await dataFolder()
  const copy = await dataFolder()
  const server = await joinServer({ dataDir })
  await cp(join(dataDir, 'nats'), join(copy, 'nats'), {
    recursive: true,
    filter: (path) => !path.endsWith('.sock'),
  })
  const other = await joinServer({ dataDir: copy })
  expect(other.adopted).toBe(false)
  expect(other.pid).not.toBe(server.pid)
  expect(runs(server.pid)).toBe(true)
})

test('a data folder with a path too long for a socket works', async () => {
  const dataDir = await dataFolder('long'.repeat(40))
  const server = await joinServer({ dataDir })
  expect((await joinServer({ dataDir })).pid).toBe(server.pid)
  const { socket } = JSON.parse(await readFile(join(dataDir, 'nats/keeper.json'), 'utf8')) as {
    socket: string
  }
  expect(socket.startsWith(dataDir)).toBe(false)
  await replaceKeeper(dataDir)
  expect(existsSync(join(socket, '..'))).toBe(false)
})

test("somebody else's server on the port is named and left alone", async () => {
  const foreign = await startServer()
  onTestFinished(() => foreign.stop())
  const dataDir = await dataFolder()
  await expect(startManaged({ dataDir, port: foreign.port, graceMs: 300 })).rejects.toMatchObject({
    id: 'PortInUse',
    message: expect.stringContaining(String(foreign.port)) as string,
  })
  expect(runs(foreign.pid)).toBe(true)
  await waitUntil(async () => !(await readdir(join(dataDir, 'nats'))).includes('keeper.json'))
})

test('another port than the one the server runs on is refused', async () => {
  const dataDir = await dataFolder()
  const server = await joinServer({ dataDir })
  const port = await freePort()
  await expect(startManaged({ dataDir, port })).rejects.toMatchObject({
    id: 'InvalidArgument',
    message: expect.stringContaining(`port ${server.port}`) as string,
  })
})

test('nobody enters without a key', async () => {
  const dataDir = await dataFolder()
  const server = await joinServer({ dataDir })
  expect(server.isClosed).toBe(true)
  const said = await new Promise<string>((resolve) => {
    let received = ''
    const socket = connect(server.port, '127.0.0.1', () =>
      socket.write('CONNECT {"verbose":false}\r\nPING\r\n'),
    )
    socket.on('data', (data) => (received += data.toString()))
    socket.once('close', () => resolve(received))
  })
  expect(said).toContain('Authorization Violation')
})

test('a folder that an earlier version made is closed, and keeps its data', async () => {
  const dataDir = await dataFolder()
  const first = await startManaged({ dataDir, graceMs: 1 })
  await store(first)
  await first.release()
  await waitUntil(() => managedStatus(dataDir) === undefined, { what: 'the keeper is gone' })
  // As it was before there were keys: the server open, and its folder too.
  await rm(first.access.folder, { recursive: true })
  await chmod(join(dataDir, 'nats'), 0o755)
  const open = await startServer({ dataDir: join(dataDir, 'nats') })
  onTestFinished(() => open.stop())
  const keeper = { folder: join(dataDir, 'nats'), keeperPid: 0, socket: join(dataDir, 'nats/keeper.sock') }
  const running = {
    pid: open.pid,
    host: '127.0.0.1',
    port: open.port,
    version: first.version,
    syncInterval: 'always',
    maxPayloadBytes: first.maxPayloadBytes,
    orphan: false,
  }
  writeFileSync(join(dataDir, 'nats/keeper.json'), JSON.stringify({ ...keeper, server: running }))

  const server = await joinServer({ dataDir })
  expect(server.isClosed).toBe(true)
  expect(server.pid).not.toBe(open.pid)
  expect(await storedIn(server)).toBe(2)
  expect(statSync(join(dataDir, 'nats')).mode & 0o777).toBe(0o700)
})

test('a host beyond loopback is refused', async () => {
  const dataDir = await dataFolder()
  await expect(startManaged({ dataDir, host: '0.0.0.0' })).rejects.toMatchObject({ id: 'InvalidArgument' })
})

test('a binary that is too old is refused', async () => {
  const dataDir = await dataFolder()
  const binary = join(dataDir, 'old-server')
  await writeFile(binary, '#!/bin/sh\necho "nats-server: v2.10.7"\n')
  await chmod(binary, 0o755)
  await expect(startManaged({ dataDir, binary })).rejects.toMatchObject({
    id: 'NatsTooOld',
    message: expect.stringContaining('2.10.7') as string,
  })
})

test('a server that is started again after it stopped has the port it had before, so that clients find it', async () => {
  const dataDir = await dataFolder()
  const first = await startManaged({ dataDir, graceMs: 50 })
  await first.release()
  await waitUntil(() => managedStatus(dataDir) === undefined, { what: 'the keeper is gone' })
  const second = await joinServer({ dataDir })
  expect(second.port).toBe(first.port)
  expect(second.adopted).toBe(false)
})
