import { temporaryFolder, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Kiroku, readyOf, type Ready, type Running } from '../../testing/Kiroku.ts'

let folder: TemporaryFolder
let kiroku: Kiroku
let engine: Running
let up: Ready

beforeAll(async () => {
  folder = await temporaryFolder()
  // A test must not open a screen.
  kiroku = new Kiroku(folder.path, { BROWSER: '', DISPLAY: '', WAYLAND_DISPLAY: '' })
  engine = kiroku.start(['up', '--http', '127.0.0.1:0', '--json', '--audit', 'off'])
  up = await readyOf(engine)
})

afterAll(async () => {
  engine.child.kill('SIGTERM')
  await engine.finished
  await kiroku.killAll()
  await folder.remove()
})

const ok = async <A>(args: string[]): Promise<A> => {
  const { exit, stderr, json } = await kiroku.run([...args, '--json'])
  expect([exit, stderr]).toEqual([0, ''])
  return json()
}

interface Received {
  readonly messages: readonly { readonly id: string; readonly receipt: string; readonly attempt: number }[]
}

describe('at a glance', { timeout: 180_000 }, () => {
  it('a queue shows its bodies without a receive, and receipts settle what was received', async () => {
    await ok(['queue', 'create', 'mail'])
    await ok(['send', 'mail', '{"to":"ada"}', '--count', '2'])
    await ok(['send', 'mail', 'hello'])
    const peek = await ok<{ messages: object[]; total: number }>(['peek', 'mail'])
    expect(peek).toMatchObject({
      total: 3,
      messages: [
        { body: { to: 'ada' }, contentType: 'application/json', attempt: 0, state: 'Available' },
        { body: { to: 'ada' } },
        { body: 'hello', contentType: 'text/plain' },
      ],
    })
    const { stdout } = await kiroku.run(['peek', 'mail', '--max', '1'])
    expect(stdout).toMatch(
      /^\S+ {2}Available {2}attempt 0 {2}\S+ old\n\{"to":"ada"\}\n… 3 in all; --max shows more\n$/,
    )
    const { messages } = await ok<Received>(['receive', 'mail', '--max', '3'])
    expect(messages.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
    const [first, second, third] = messages.map(({ receipt }) => receipt)
    expect(await ok(['ack', `${first},${second}`])).toEqual({ acknowledged: 2 })
    expect(await ok(['retry', third!, '--delay', '1h', '--reason', 'later'])).toEqual({ retried: 1 })
    expect((await kiroku.run(['ack', 'nonsense'])).exit).not.toBe(0)
    expect(await ok(['status'])).toMatchObject({
      api: up.api,
      pid: up.pid,
      nodes: [{ pid: up.pid }],
      queues: [{ name: 'mail', counts: { committed: 2, waitingRetry: 1 } }],
      trouble: [],
    })
    await ok(['queue', 'pause', 'mail'])
    const screen = await kiroku.run(['status'])
    expect(screen.stdout).toMatch(
      /^console +http:\/\/127.+\nnodes +.+\nlog +main: 4 of 4 partitions active\n/,
    )
    expect(screen.stdout).toMatch(/^WARNING {2}queue mail is paused$/m)
    expect(screen.stdout).toMatch(/^mail +0 +0 +0 +1 /m)
  })

  it('a release with a delay costs no attempt, and may hold the subscription, which is shown until it is resumed', async () => {
    await ok(['queue', 'create', 'calls'])
    await ok(['send', 'calls', 'a'])
    await ok(['send', 'calls', 'b'])
    const take = () => ok<Received>(['receive', 'calls', '--max', '1', '--wait', '1s'])
    const { receipt } = (await take()).messages[0]!
    const refused = await kiroku.run(['release', receipt, '--hold-subscription'])
    expect(refused).toMatchObject({ exit: 2 })
    expect(refused.stderr).toContain('holdSubscription needs a delay')
    const wait = ['--delay', '1h', '--reason', 'HTTP 429', '--hold-subscription']
    expect(await ok(['release', receipt, ...wait])).toEqual({ released: 1 })
    expect((await take()).messages).toEqual([])
    const held = /held until \d{4}-\d\d-\d\dT[\d:.]+Z: HTTP 429$/m
    for (const line of [`deliveries +`, `WARNING {2}queue calls is `])
      expect(
        (await kiroku.run(line.startsWith('W') ? ['status'] : ['queue', 'show', 'calls'])).stdout,
      ).toMatch(new RegExp(`^${line}${held.source}`, 'm'))
    expect((await kiroku.run(['queue', 'list'])).stdout).toMatch(/^calls \(held\) +1 +0 +0 +1 /m)
    await ok(['queue', 'resume', 'calls'])
    expect((await kiroku.run(['queue', 'show', 'calls'])).stdout).toMatch(/^deliveries +on$/m)
    const next = (await take()).messages
    expect(next).toMatchObject([{ attempt: 1 }])
    expect(await ok(['release', next[0]!.receipt])).toEqual({ released: 1 })
    expect((await take()).messages).toMatchObject([{ attempt: 1 }])
  })

  it("the console's address is printed without a screen, but not without an engine", async () => {
    expect(await ok(['open'])).toEqual({ url: `${up.api}/`, opened: false })
    expect((await kiroku.run(['open', '--data-dir', 'elsewhere'])).stderr).toContain(
      'no engine runs in this folder',
    )
  })

  it('each name appears once when a queue is shown, and reply queues are one row of the list', async () => {
    for (const digit of ['1', '2'])
      await ok(['queue', 'create', `replies-0000000${digit}-0000-4000-8000-000000000000`])
    const list = await kiroku.run(['queue', 'list'])
    expect(list.stdout).toMatch(/^reply queues \(2\) +0 +0 /m)
    expect(list.stdout).not.toContain('replies-')
    expect((await kiroku.run(['queue', 'list', '--all'])).stdout.match(/^replies-/gm)).toHaveLength(2)
    const { stdout } = await kiroku.run(['queue', 'show', 'mail'])
    const lines = stdout.split('\n').filter((line) => line !== '')
    const names = lines.map((line) => line.split(/ {2,}/)[0])
    expect(names).toEqual(expect.arrayContaining(['in flight', '--inflight', 'waiting retry']))
    expect(new Set(names).size).toBe(names.length)
  })

  it('help folds the flags of the connection into a line, and shows all when asked', async () => {
    const short = await kiroku.run(['receive', '--help'])
    expect(short.stdout).toContain('--help-all')
    expect(short.stdout).not.toContain('--nats-tls-ca')
    expect((await kiroku.run(['receive', '--help-all'])).stdout).toContain('--nats-tls-ca FILE')
  })
})
