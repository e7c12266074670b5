import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { errorRegistry, type ErrorId } from '@kiroku/message'
import { temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Kiroku, type Running } from './testing/Kiroku.ts'

let folder: TemporaryFolder
let kiroku: Kiroku
let engine: Running

interface Up {
  readonly api: string
  readonly nats: string
}

const readyOf = async (running: Running): Promise<Up> => {
  await waitUntil(() => running.stdout().includes('"ready":true'), {
    timeoutMs: 30_000,
    what: 'kiroku up is ready',
  })
  return JSON.parse(running.stdout().trim().split('\n').at(-1)!) as Up
}

let up: Up

beforeAll(async () => {
  folder = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
  engine = kiroku.start(['up', '--http', '127.0.0.1:0', '--json', '--log-format', 'json'])
  up = await readyOf(engine)
})

afterAll(async () => {
  engine.child.kill('SIGTERM')
  await engine.finished
  await kiroku.killAll()
  await folder.remove()
})

const ok = async <A>(args: string[], input?: string): Promise<A> => {
  const finished = await kiroku.run([...args, '--json'], input)
  expect(finished.stderr).toBe('')
  expect(finished.exit).toBe(0)
  return finished.json()
}

describe('the commands of a folder with a running engine', () => {
  it('carry a message from send to ack, and find the engine by themselves', async () => {
    await ok(['queue', 'create', 'mail', '--retries', '2', '--dead-letter', 'mail-dlq'])
    const { messageId } = await ok<{ messageId: string }>([
      'send',
      'mail',
      '{"to":"ada","big":12345678901234567890}',
    ])
    const received = await ok<{ messages: { id: string; attempt: number; body: unknown }[] }>([
      'receive',
      'mail',
      '--ack',
    ])
    expect(received.messages).toMatchObject([{ id: messageId, attempt: 1, body: { to: 'ada' } }])
    const queue = await ok<{ counts: object }>(['queue', 'show', 'mail'])
    expect(queue.counts).toMatchObject({ sent: 1, committed: 1, available: 0, inflight: 0 })
  })

  it('send text, bytes and files as they are', async () => {
    await ok(['queue', 'create', 'shapes'])
    await writeFile(`${folder.path}/body.bin`, Uint8Array.of(0xff, 0x00, 0x0a))
    await ok(['send', 'shapes', 'just text'])
    await ok(['send', 'shapes', '--file', 'body.bin'])
    await ok(['send', 'shapes', '--content-type', 'text/html', '--attributes', 'a=1,b=x=y'], '<p>piped</p>')
    const { messages } = await ok<{ messages: object[] }>(['receive', 'shapes', '--max', '10', '--ack'])
    expect(messages).toMatchObject([
      { body: 'just text', contentType: 'text/plain' },
      { bodyBase64: '/wAK', contentType: 'application/octet-stream' },
      { body: '<p>piped</p>', contentType: 'text/html', attributes: { a: '1', b: 'x=y' } },
    ])
  })

  it('send thousands of lines of ndjson in order', async () => {
    await ok(['queue', 'create', 'lines'])
    const lines = Array.from({ length: 3_000 }, (_, i) => JSON.stringify({ i }))
    expect(await ok(['send', 'lines', '--ndjson'], lines.join('\n'))).toMatchObject({ sent: 3_000 })
    const { messages } = await ok<{ messages: { body: { i: number } }[] }>([
      'receive',
      'lines',
      '--max',
      '1000',
    ])
    expect(messages.map(({ body }) => body.i)).toEqual(Array.from({ length: 1_000 }, (_, i) => i))
  })

  it('name the malformed line, and send what came before it', async () => {
    await ok(['queue', 'create', 'broken'])
    const finished = await kiroku.run(['send', 'broken', '--ndjson', '--json'], '1\n2\n\n{"a":\n5\n')
    expect(finished.exit).toBe(2)
    expect(finished.json()).toMatchObject({
      error: { id: 'MalformedJson', message: expect.stringMatching(/^line 4: .*2 messages were sent/) },
    })
    const { counts } = await ok<{ counts: object }>(['queue', 'show', 'broken'])
    expect(counts).toMatchObject({ sent: 2 })
  })

  it('update, pause, resume, purge and delete a queue', async () => {
    await ok(['queue', 'create', 'acts'])
    await ok(['send', 'acts', 'x'])
    expect(await ok(['queue', 'update', 'acts', '--lease', '2m'])).toMatchObject({
      config: { leaseMs: 120_000, retriesMax: 3 },
    })
    await ok(['queue', 'pause', 'acts'])
    expect(await ok(['receive', 'acts'])).toMatchObject({ messages: [] })
    await ok(['queue', 'resume', 'acts'])
    expect(await ok(['queue', 'purge', 'acts'])).toMatchObject({ purged: 1 })
    await ok(['queue', 'delete', 'acts'])
    const { queues } = await ok<{ queues: { name: string }[] }>(['queue', 'list'])
    expect(queues.map(({ name }) => name)).not.toContain('acts')
  })

  it('run a Worker module until they are told to stop', async () => {
    await writeFile(
      `${folder.path}/worker.ts`,
      `export default {
        async queue(batch: { messages: { body: { bad?: boolean } }[] }, env: Record<string, unknown>) {
          for (const message of batch.messages) if (message.body.bad) throw new Error(String(env['REASON']))
        },
      }`,
    )
    await writeFile(
      `${folder.path}/wrangler.toml`,
      '[vars]\nREASON = "it is bad"\n[[queues.consumers]]\nqueue = "jobs"\nmax_batch_size = 1\nmax_retries = 1\ndead_letter_queue = "jobs-dlq"\n',
    )
    const worker = kiroku.start(['work', 'worker.ts'])
    await waitUntil(() => worker.stdout().includes('working on jobs'))
    await ok(['send', 'jobs', '{"n":1}'])
    await ok(['send', 'jobs', '{"bad":true}'])
    const { messages } = await ok<{ messages: object[] }>(['receive', 'jobs-dlq', '--wait', '20s'])
    expect(messages).toMatchObject([
      { body: { bad: true }, lineage: { queue: 'jobs', attempts: 2, error: 'it is bad' } },
    ])
    await waitUntil(async () => {
      const { counts } = await ok<{ counts: { committed: number } }>(['queue', 'show', 'jobs'])
      return counts.committed === 1
    })
    worker.child.kill('SIGTERM')
    expect((await worker.finished).exit).toBe(0)
  })

  it('tell who owns what, and find nothing wrong', async () => {
    const status = await ok<{ nodes: object[]; partitions: { state: string }[] }>(['cluster', 'status'])
    expect(status.nodes).toHaveLength(1)
    expect(status.partitions.map(({ state }) => state)).toEqual(['Active', 'Active', 'Active', 'Active'])
    const { findings } = await ok<{ findings: { check: string; status: string }[] }>(['doctor'])
    const statusOf = (check: string) => findings.find((finding) => finding.check === check)?.status
    expect(['NATS version', 'sync_interval', 'max_payload', 'clock', 'partitions'].map(statusOf)).toEqual(
      Array.from({ length: 5 }, () => 'ok'),
    )
  })

  it('share the folder with a second engine, which is named there once the first is gone', async () => {
    const runFile = (): { pid: number } =>
      JSON.parse(readFileSync(`${folder.path}/.kiroku/run.json`, 'utf8')) as never
    const first = runFile().pid
    const second = kiroku.start(['up', '--json'])
    await readyOf(second)
    expect(runFile().pid).toBe(first)
    const { nodes } = await ok<{ nodes: object[] }>(['cluster', 'status'])
    expect(nodes).toHaveLength(2)
    second.child.kill('SIGTERM')
    expect((await second.finished).exit).toBe(0)
    expect(runFile().pid).toBe(first)
  })
})

describe('bad input', () => {
  const table: [name: string, id: ErrorId, args: string[], input?: string][] = [
    ['an unknown queue', 'UnknownQueue', ['send', 'nowhere', 'x']],
    ['an unknown queue for ndjson', 'UnknownQueue', ['send', 'nowhere', '--ndjson'], '1\n'],
    ['an invalid name', 'InvalidQueueName', ['queue', 'create', 'no spaces']],
    ['a name that is too long', 'InvalidQueueName', ['queue', 'create', 'x'.repeat(81)]],
    ['a setting out of range', 'InvalidConfig', ['queue', 'create', 'q1', '--retries', '100000']],
    ['a duration without a unit', 'InvalidArgument', ['queue', 'create', 'q1', '--lease', '30']],
    ['another queue of that name', 'QueueExists', ['queue', 'create', 'taken', '--retries', '7']],
    ['a body over the limit of its queue', 'BodyTooLarge', ['send', 'small'], 'x'.repeat(20_000)],
    ['a body over every limit', 'BodyTooLarge', ['send', 'taken'], 'x'.repeat(4 * 1024 * 1024 + 1)],
    ['ndjson that is malformed', 'MalformedJson', ['send', 'taken', '--ndjson'], '{"a":1}\nnope\n'],
    ['a file that is not there', 'InvalidArgument', ['send', 'taken', '--file', 'nope.txt']],
    ['an unknown log', 'Unavailable', ['queue', 'list', '--log', 'nope']],
    ['an unknown flag', 'InvalidArgument', ['send', 'taken', 'x', '--dely', '3s']],
    ['an unknown command', 'InvalidArgument', ['sned', 'taken', 'x']],
    ['a missing argument', 'InvalidArgument', ['send']],
    ['a Worker that is not there', 'WorkerInvalid', ['work', 'nope.ts', '--queue', 'taken']],
    ['a Worker without a queue function', 'WorkerInvalid', ['work', 'not-a-worker.js', '--queue', 'taken']],
    ['NATS that cannot be reached', 'NatsUnreachable', ['queue', 'list', '--nats', 'nats://127.0.0.1:1']],
    ['an API beyond loopback without tokens', 'TokenRequired', ['up', '--http', '0.0.0.0:0']],
    ['an API on a strange address', 'InvalidConfig', ['up', '--http', 'everywhere']],
    ['malformed tokens', 'InvalidConfig', ['up', '--tokens', 'ann:boss:long-enough']],
    ['serve without NATS', 'NatsUnreachable', ['serve']],
    [
      'a nats-server that is none',
      'NatsServerMissing',
      ['up', '--data-dir', 'other', '--nats-server', '/bin/true'],
    ],
  ]

  beforeAll(async () => {
    await ok(['queue', 'create', 'taken'])
    await ok(['queue', 'create', 'small', '--body-max', '1KiB'])
    await writeFile(`${folder.path}/not-a-worker.js`, 'export default { fetch() {} }')
  })

  it.each(table)('%s is %s', async (_, id, args, input) => {
    const finished = await kiroku.run([...args, '--json'], input)
    const { error } = finished.json() as { error: { id: string; message: string; help: string } }
    expect(error).toMatchObject({ id, help: errorRegistry[id].help })
    expect(finished.exit).toBe(errorRegistry[id].exit)
    expect(finished.stderr).toContain(`error ${id}: `)
    expect(finished.stderr + finished.stdout).not.toMatch(/\n\s+at |node:internal|\.ts:\d/)
  })

  it('a port in use is PortInUse', async () => {
    const finished = await kiroku.run(['up', '--http', new URL(up.api).host, '--json'])
    expect(finished.json()).toMatchObject({ error: { id: 'PortInUse' } })
    expect(finished.exit).toBe(errorRegistry.PortInUse.exit)
  })

  it('a folder without an engine is NatsUnreachable, and says how to start one', async () => {
    await mkdir(`${folder.path}/empty`)
    const finished = await new Kiroku(`${folder.path}/empty`).run(['queue', 'list'])
    expect(finished.exit).toBe(errorRegistry.NatsUnreachable.exit)
    expect(finished.stderr).toMatch(/no engine was started in this folder.*\n.*kiroku up/)
  })

  it('a malformed kiroku.jsonc is MalformedJson with its line', async () => {
    await mkdir(`${folder.path}/malformed`)
    await writeFile(`${folder.path}/malformed/kiroku.jsonc`, '{\n  "log": "a"\n  "http": 1\n}')
    const finished = await new Kiroku(`${folder.path}/malformed`).run(['queue', 'list'])
    expect(finished.exit).toBe(2)
    expect(finished.stderr).toContain('kiroku.jsonc, line 3')
  })

  it('shows the stack only when KIROKU_DEBUG asks for it', async () => {
    const finished = await new Kiroku(folder.path, { KIROKU_DEBUG: '1' }).run(['send', 'nowhere', 'x'])
    expect(finished.stderr).toMatch(/\n\s+at /)
  })
})

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s drains within 10 s, though receives are parked',
    async (signal) => {
      await using own = await temporaryFolder()
      const here = new Kiroku(own.path)
      const running = here.start(['up', '--http', '127.0.0.1:0', '--json'])
      try {
        const { api } = await readyOf(running)
        expect((await here.run(['queue', 'create', 'parked'])).exit).toBe(0)
        const receive = fetch(`${api}/v1/queues/parked/receive`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"waitMs":60000}',
        }).catch(() => undefined)
        const polled = async (): Promise<boolean> =>
          /kiroku_waiting_polls\{queue="parked"\} 1/.test(await (await fetch(`${api}/metrics`)).text())
        await waitUntil(polled, { what: 'the receive is parked' })
        const startedMs = performance.now()
        running.child.kill(signal)
        const { exit } = await running.finished
        await receive
        expect(exit).toBe(0)
        expect(performance.now() - startedMs).toBeLessThan(10_000)
      } finally {
        await here.killAll()
      }
    },
  )

  it('loses and doubles nothing when the engine is killed in the middle of a send', async () => {
    await using own = await temporaryFolder()
    const here = new Kiroku(own.path)
    try {
      const first = here.start(['up', '--http', '127.0.0.1:0', '--json'])
      await readyOf(first)
      expect((await here.run(['queue', 'create', 'safe'])).exit).toBe(0)
      const counts = async (): Promise<{ sent: number; available: number }> =>
        ((await here.run(['queue', 'show', 'safe', '--json'])).json() as { counts: never }).counts
      const lines = (from: number) => Array.from({ length: 10_000 }, (_, i) => `{"i":${from + i}}\n`).join('')
      const sending = here.start(['send', 'safe', '--ndjson', '--json'], null)
      sending.child.stdin!.write(lines(0))
      await waitUntil(async () => (await counts()).sent > 0, { what: 'the first messages are stored' })
      first.child.kill('SIGKILL')
      sending.child.stdin!.end(lines(10_000))
      await first.finished
      const second = here.start(['up', '--http', '127.0.0.1:0', '--json'])
      await readyOf(second)
      const sent = await sending.finished
      expect(sent.stderr).toBe('')
      expect(sent.json()).toMatchObject({ sent: 20_000 })
      expect(await counts()).toMatchObject({ sent: 20_000, available: 20_000 })
      second.child.kill('SIGTERM')
      await second.finished
    } finally {
      await here.killAll()
    }
  })
})
