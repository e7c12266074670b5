import { freePort, temporaryFolder, waitUntil } from '@kiroku/testkit'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { runsWith } from './runsWith.ts'
import { startServer, type Server, type StartServerOptions } from './startServer.ts'

const start = async (options?: StartServerOptions): Promise<Server> => {
  const server = await startServer(options)
  onTestFinished(() => server.stop())
  return server
}

const runs = (pid: number) => runsWith(pid, 'server.conf')

test('a stopped server is gone with its folder', async () => {
  const server = await start()
  expect(runs(server.pid)).toBe(true)
  await server.stop()
  expect(runs(server.pid)).toBe(false)
  expect(existsSync(server.dataDir)).toBe(false)
})

test('after kill it can be started again on the same port and folder', async () => {
  const server = await start()
  const { pid, port, url } = server
  await server.kill('SIGKILL')
  expect(runs(pid)).toBe(false)
  await server.restart()
  expect(server.pid).not.toBe(pid)
  expect(server).toMatchObject({ port, url })
})

test('a frozen server can be stopped', async () => {
  const server = await start()
  await server.kill('SIGSTOP')
  await server.stop()
  expect(runs(server.pid)).toBe(false)
})

test('a folder of the caller is kept', async () => {
  await using folder = await temporaryFolder()
  const server = await start({ dataDir: folder.path })
  await server.stop()
  expect(await readdir(folder.path)).toContain('nats.log')
})

test('a port that another program uses is named', async () => {
  const port = await freePort()
  const other = createServer()
  onTestFinished(() => void other.close())
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  await expect(startServer({ port })).rejects.toMatchObject({
    id: 'PortInUse',
    message: expect.stringContaining(String(port)) as string,
  })
})

test('a configuration the server does not understand is shown with its reason', async () => {
  await expect(startServer({ extraConfig: 'no_such_setting: 1' })).rejects.toMatchObject({
    id: 'NatsUnreachable',
    message: expect.stringContaining('no_such_setting') as string,
  })
})

test('the server and its folder are gone when the process that started it was killed', async () => {
  const script = `
    import { startServer } from '${join(import.meta.dirname, 'startServer.ts')}'
    const { pid, dataDir } = await startServer()
    console.log(JSON.stringify({ pid, dataDir }))
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const line = await new Promise<string>((resolve) =>
    createInterface({ input: parent.stdout }).once('line', resolve),
  )
  const { pid, dataDir } = JSON.parse(line) as { pid: number; dataDir: string }
  expect(await readFile(join(dataDir, 'nats.pid'), 'utf8')).toBe(String(pid))
  parent.kill('SIGKILL')
  await waitUntil(() => !runs(pid) && !existsSync(dataDir), { what: 'server and folder are gone' })
})
