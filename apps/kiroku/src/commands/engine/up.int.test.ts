import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Kiroku, readyOf, type Ready, type Running } from '../../testing/Kiroku.ts'

let folder: TemporaryFolder
let other: TemporaryFolder
let kiroku: Kiroku
let second: Kiroku
let engine: Running
let up: Ready

beforeAll(async () => {
  folder = await temporaryFolder()
  other = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
  second = new Kiroku(other.path, { KIROKU_CONSOLE: 'read-only' })
  engine = kiroku.start(['up', '--http', '127.0.0.1:0', '--json'])
  up = await readyOf(engine)
})

afterAll(async () => {
  engine.child.kill('SIGTERM')
  await engine.finished
  await kiroku.killAll()
  await second.killAll()
  await folder.remove()
  await other.remove()
})

/** Takes 8480, unless it is taken already. */
const takeUsualPort = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(server))
    server.listen(8480, '127.0.0.1', () => resolve(server))
  })

describe('kiroku up', { timeout: 120_000 }, () => {
  it('writes nothing that another user of the machine can read', async () => {
    await waitUntil(() => existsSync(join(folder.path, '.kiroku', 'audit')), { timeoutMs: 30_000 })
    const open: string[] = []
    const look = (file: string): void => {
      const { mode } = lstatSync(file)
      if ((mode & 0o077) !== 0) open.push(file)
      if ((mode & 0o170000) === 0o040000) for (const name of readdirSync(file)) look(join(file, name))
    }
    look(join(folder.path, '.kiroku'))
    expect(open).toEqual([])
  })

  it('names the engine that has its port, before it starts anything', async () => {
    const { exit, stderr } = await second.run(['up', '--http', new URL(up.api).host])
    expect(exit).toBe(4)
    expect(stderr).toContain(
      `is taken by the Kiroku engine of ${join(folder.path, '.kiroku')} (process ${up.pid})`,
    )
    expect(existsSync(join(other.path, '.kiroku', 'nats'))).toBe(false)
  })

  it('refuses an address beyond loopback without tokens before it starts anything', async () => {
    const { exit, stderr } = await second.run(['up', '--http', '0.0.0.0:0'])
    expect([exit, stderr]).toEqual([8, expect.stringContaining('TokenRequired')])
    expect(existsSync(join(other.path, '.kiroku', 'nats'))).toBe(false)
  })

  it('prints every address once, the console first, and who has its usual port', async () => {
    const usual = await takeUsualPort()
    const running = second.start(['up'])
    try {
      await waitUntil(() => running.stdout().includes('Ctrl-C drains and stops.'), { timeoutMs: 60_000 })
      const [head, console, api, taken] = running.stdout().split('\n')
      expect(head).toMatch(/^Kiroku is up \(/)
      expect(console).toMatch(/^ {2}console {4}http:\/\/127\.0\.0\.1:\d+\//)
      expect(api).toMatch(/^ {2}HTTP API {3}http:\/\/127\.0\.0\.1:(?!8480 )\d+ /)
      expect(taken).toMatch(/\(port 8480 is taken by .+; --http HOST:PORT chooses\)/)
      expect(running.stdout()).toMatch(
        /^Next, in .+ {2}(?:node \/.+\/kiroku\.mjs|kiroku) queue create mail$/m,
      )
    } finally {
      running.child.kill('SIGTERM')
      await running.finished
      usual.close()
    }
  })

  it('prints commands that find a data folder of another name', async () => {
    const running = second.start(['up', '--http', '127.0.0.1:0', '--data-dir', "Ann's data"])
    try {
      await waitUntil(() => running.stdout().includes('Ctrl-C drains and stops.'), { timeoutMs: 60_000 })
      const [, command] = /^Next, in .+ {2}.+ (queue create .+)$/m.exec(running.stdout())!
      expect(command).toBe(String.raw`queue create mail --data-dir 'Ann'\''s data'`)
      expect(running.stdout()).toMatch(/client add NAME --data-dir 'Ann'\\''s data' lets others in/)
      const created = await second.run(['queue', 'create', 'mail', '--data-dir', "Ann's data"])
      expect([created.exit, created.stdout]).toEqual([0, expect.stringMatching(/^queue mail created$/m)])
    } finally {
      running.child.kill('SIGTERM')
      await running.finished
    }
  })

  it('runs a sample shop, in which orders lead to payments and mail, and whose past is on record', async () => {
    const running = second.start(['up', '--sample'])
    try {
      await waitUntil(() => running.stdout().includes('A sample shop is at work.'), { timeoutMs: 60_000 })
      const done = async () => {
        const { queues } = (await second.run(['queue', 'list', '--json'])).json() as {
          queues: { name: string; counts: { committed: number } }[]
        }
        return queues.filter(({ counts }) => counts.committed > 0).map(({ name }) => name)
      }
      await waitUntil(async () => (await done()).length >= 3, { timeoutMs: 60_000 })
      expect((await done()).sort()).toEqual(['shop-mail', 'shop-orders', 'shop-payments'])
    } finally {
      running.child.kill('SIGTERM')
      const { exit, stderr } = await running.finished
      expect([exit, stderr]).toEqual([0, expect.not.stringMatching(/ERROR|WARN/)])
    }
  })
})
