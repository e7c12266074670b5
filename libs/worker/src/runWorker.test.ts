import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type BatchHandler,
  type Client,
  type ConsumeOptions,
  type Consumer,
  createClient,
  inProcess,
} from '@kiroku/client'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import {
  runWorker,
  type MessageBatch,
  type QueueBinding,
  type WorkerConfig,
  type WorkerModule,
} from './index.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const startClient = async (): Promise<Client> => {
  const engine = await startMemoryEngine()
  closers.push(() => engine.close())
  const client = createClient(inProcess(engine.node()))
  closers.push(() => client.close())
  return client
}

const run = async (client: Client, queue: WorkerModule['queue'], config: Partial<WorkerConfig> = {}) => {
  const worker = await runWorker({
    client,
    module: { queue },
    config: { consumers: [{ queue: 'in', batchWaitMs: 0 }], ...config },
  })
  closers.push(() => worker.stop())
  return worker
}

const counts = async (client: Client, queue: string) => (await client.queues.describe(queue)).counts

describe('a Worker', () => {
  it('gets batches with ids, times, attempts and decoded bodies', async () => {
    const client = await startClient()
    const seen: unknown[] = []
    await run(client, (batch) => {
      for (const { id, timestamp, attempts, body } of batch.messages)
        seen.push({ queue: batch.queue, id, isDate: timestamp instanceof Date, attempts, body })
    })
    const sentAt = Date.now()
    const { messageId } = await client.send('in', { a: 1 })
    await waitUntil(() => seen.length === 1)
    expect(seen).toEqual([{ queue: 'in', id: messageId, isDate: true, attempts: 1, body: { a: 1 } }])
    expect(Date.now() - sentAt).toBeLessThan(60_000)
  })

  it('keeps nothing of the batches that it is done with', async () => {
    const client = await startClient()
    const batches: WeakRef<object>[] = []
    /** The same client, which notes what becomes of each batch. */
    const consume = (queue: string, handler: BatchHandler, options?: ConsumeOptions): Consumer =>
      client.consume(
        queue,
        (batch) => {
          const handled = handler(batch) as Promise<void>
          batches.push(new WeakRef(handled))
          return handled
        },
        options,
      )
    const noting = Object.create(client, { consume: { value: consume } }) as Client
    let handled = 0
    await run(noting, () => void handled++)
    for (let i = 0; i < 20; i++) {
      await client.send('in', i)
      await waitUntil(() => handled > i)
    }
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    await waitUntil(() => {
      collect()
      return batches.slice(0, -1).every((batch) => batch.deref() === undefined)
    })
  })

  it('consumes a subscription, to which the settings apply instead of its queue', async () => {
    const client = await startClient()
    await client.queues.create('in')
    const bodies: unknown[] = []
    const consumers = [{ queue: 'in', subscription: 'audit', batchWaitMs: 0, retriesMax: 1 }]
    await run(client, (batch) => void bodies.push(...batch.messages.map((message) => message.body)), {
      consumers,
    })
    await client.send('in', 'x')
    await waitUntil(() => bodies.length === 1)
    const { config, subscriptions } = await client.queues.describe('in')
    expect(config.retriesMax).toBe(3)
    expect(subscriptions).toMatchObject([
      { name: 'main', counts: { available: 1 } },
      { name: 'audit', settings: { batchWaitMs: 0, retriesMax: 1 } },
    ])
  })

  it('sends through its producers, of every content type, what arrives unchanged', async () => {
    const client = await startClient()
    const bodies: unknown[] = []
    await run(client, (batch) => void bodies.push(...batch.messages.map((message) => message.body)))
    const config = {
      consumers: [{ queue: 'trigger', batchWaitMs: 0 }],
      producers: [{ binding: 'OUT', queue: 'in' }],
    }
    await run(
      client,
      async (_, env) => {
        const out = env['OUT'] as QueueBinding
        await out.send({ n: 1 })
        await out.send('plain', { contentType: 'text' })
        await out.sendBatch([
          { body: new Uint8Array([1, 2]).buffer, contentType: 'bytes' },
          { body: new Map([['k', new Date(5)]]), contentType: 'v8' },
        ])
      },
      config,
    )
    await client.send('trigger', 'go')
    await waitUntil(() => bodies.length === 4)
    expect(bodies.slice(0, 2)).toEqual([{ n: 1 }, 'plain'])
    expect([...(bodies[2] as Uint8Array)]).toEqual([1, 2])
    expect(bodies[3]).toEqual(new Map([['k', new Date(5)]]))
  })

  it('refuses what its content type cannot hold', async () => {
    const client = await startClient()
    const failures: unknown[] = []
    const producers = [{ binding: 'OUT', queue: 'in' }]
    await run(
      client,
      async (_, env) => {
        const out = env['OUT'] as QueueBinding
        const attempts: [unknown, Parameters<QueueBinding['send']>[1]][] = [
          [1, { contentType: 'text' }],
          ['x', { contentType: 'bytes' }],
          [undefined, {}],
          ['x', { delaySeconds: 86_401 }],
          ['x', { contentType: 'xml' as never }],
        ]
        for (const [body, options] of attempts)
          await out.send(body, options).catch((error: { id: string }) => failures.push(error.id))
      },
      { producers },
    )
    await client.send('in', 'go')
    await waitUntil(() => failures.length === 5)
    expect(new Set(failures)).toEqual(new Set(['InvalidArgument']))
  })

  it('delays what it sends: the message wins over the batch, the batch over the queue', async () => {
    const client = await startClient()
    const producers = [{ binding: 'OUT', queue: 'out', deliveryDelayMs: 60_000 }]
    let done = false
    await run(
      client,
      async (_, env) => {
        const out = env['OUT'] as QueueBinding
        await out.send('queue')
        await out.send('none', { delaySeconds: 0 })
        await out.sendBatch([{ body: 'batch' }, { body: 'message', delaySeconds: 30 }], { delaySeconds: 0 })
        done = true
      },
      { producers },
    )
    await client.send('in', 'go')
    await waitUntil(() => done)
    expect(await counts(client, 'out')).toMatchObject({ delayed: 2, available: 2 })
  })

  it('fails its batch when something awaited by waitUntil fails, with the cause in the dead letter', async () => {
    const client = await startClient()
    let calls = 0
    await run(
      client,
      (batch, _, ctx) => {
        calls++
        batch.messages[0]!.ack()
        ctx.passThroughOnException()
        // After the handler has returned, which it does at once.
        ctx.waitUntil(nextRound().then(() => Promise.reject(new Error('late'))))
      },
      { consumers: [{ queue: 'in', batchWaitMs: 0, retriesMax: 0, deadLetter: 'in-dlq' }] },
    )
    await client.sendBatch('in', [{ body: 'acked' }, { body: 'failed' }])
    const [dead] = await client.receive('in-dlq', { waitMs: 10_000 })
    expect(dead!.text()).toBe('failed')
    expect(dead!.lineage).toMatchObject({ error: 'late' })
    expect(calls).toBe(1)
    expect(await counts(client, 'in')).toMatchObject({ committed: 1, deadLettered: 1 })
  })

  it('retries with its consumer’s delay unless it sets one', async () => {
    const client = await startClient()
    const attempts: number[] = []
    await run(
      client,
      (batch: MessageBatch) => {
        const message = batch.messages[0]!
        attempts.push(message.attempts)
        if (message.attempts === 1) message.retry({ delaySeconds: 0 })
        else if (message.attempts === 2) message.retry()
      },
      { consumers: [{ queue: 'in', batchWaitMs: 0, retryDelayMs: 3_600_000 }] },
    )
    await client.send('in', 'x')
    await waitUntil(async () => (await counts(client, 'in')).waitingRetry === 1)
    expect(attempts).toEqual([1, 2])
  })

  it('gives its queues the configured settings and leaves the others alone', async () => {
    const client = await startClient()
    await client.queues.create('in', { leaseMs: 5_000, retriesMax: 1 })
    await run(client, () => {}, {
      consumers: [{ queue: 'in', batchMessages: 7, batchWaitMs: 100, retriesMax: 9, deadLetter: 'dead' }],
      producers: [{ binding: 'OUT', queue: 'out', deliveryDelayMs: 1_000 }],
    })
    const { config } = await client.queues.describe('in')
    expect(config).toMatchObject({
      leaseMs: 5_000,
      batchMessages: 7,
      batchWaitMs: 100,
      retriesMax: 9,
      deadLetter: { name: 'dead' },
    })
    expect((await client.queues.describe('out')).config.deliveryDelayMs).toBe(1_000)
  })

  it('knows the backlog of a queue it sends to', async () => {
    const client = await startClient()
    const metrics: unknown[] = []
    await run(
      client,
      async (_, env) => {
        const out = env['OUT'] as QueueBinding
        metrics.push(await out.metrics())
        await out.send('x')
        metrics.push(await out.metrics())
      },
      { producers: [{ binding: 'OUT', queue: 'out' }] },
    )
    await client.send('in', 'go')
    await waitUntil(() => metrics.length === 2)
    expect(metrics[0]).toEqual({ backlogCount: 0 })
    expect(metrics[1]).toMatchObject({ backlogCount: 1, oldestMessageTimestamp: expect.any(Date) as Date })
  })

  it('stops by its signal and leaves the client open', async () => {
    const client = await startClient()
    const controller = new AbortController()
    const worker = await runWorker({
      client,
      module: { queue: () => {} },
      config: { consumers: [{ queue: 'in' }] },
      signal: controller.signal,
    })
    controller.abort()
    await worker.closed
    await client.send('in', 'x')
    expect(await counts(client, 'in')).toMatchObject({ available: 1 })
  })

  it('ends with the error when one of its queues is deleted', async () => {
    const client = await startClient()
    const worker = await run(client, () => {}, { consumers: [{ queue: 'in' }, { queue: 'other' }] })
    await client.queues.delete('other')
    await expect(worker.closed).rejects.toMatchObject({ id: 'UnknownQueue' })
  })
})

describe('a Worker module', () => {
  const inFolder = async (files: Record<string, string>): Promise<string> => {
    const folder = await temporaryFolder()
    closers.push(() => folder.remove())
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder.path, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, text)
    }
    return folder.path
  }
  const load = async (folder: string, name: string) => {
    const client = await startClient()
    const worker = await runWorker({
      client,
      modulePath: path.join(folder, name),
      config: { consumers: [{ queue: 'in', batchWaitMs: 0 }], producers: [{ binding: 'OUT', queue: 'out' }] },
    })
    closers.push(() => worker.stop())
    return client
  }

  it('may be TypeScript with its own files and packages', async () => {
    const folder = await inFolder({
      'src/worker.ts': `
        import { shout } from './shout.ts'
        import { suffix } from 'my-package'
        enum Mark { A = 'a' }
        export default {
          async queue(batch: any, env: any): Promise<void> {
            for (const message of batch.messages) await env.OUT.send(shout(message.body as string) + suffix + Mark.A)
          },
        }`,
      'src/shout.ts': `export const shout = (text: string): string => text.toUpperCase()`,
      'node_modules/my-package/package.json': `{ "name": "my-package", "type": "module", "exports": { "import": "./i.js" } }`,
      'node_modules/my-package/i.js': `export const suffix = '!'`,
    })
    const client = await load(folder, 'src/worker.ts')
    await client.send('in', 'hello')
    const [message] = await client.receive('out', { waitMs: 10_000 })
    expect(message!.json()).toBe('HELLO!a')
  })

  it('may be JavaScript', async () => {
    const folder = await inFolder({
      'worker.mjs': `export default { async queue(batch, env) { await env.OUT.send(batch.messages.length) } }`,
    })
    const client = await load(folder, 'worker.mjs')
    await client.send('in', 'hello')
    expect((await client.receive('out', { waitMs: 10_000 }))[0]!.json()).toBe(1)
  })

  it('may be a module in a package of CommonJS, as `npm init` makes it', async () => {
    const folder = await inFolder({
      'package.json': '{ "type": "commonjs" }',
      'worker.js': `export default { async queue(batch, env) { await env.OUT.send(batch.messages.length) } }`,
    })
    const client = await load(folder, 'worker.js')
    await client.send('in', 'hello')
    expect((await client.receive('out', { waitMs: 10_000 }))[0]!.json()).toBe(1)
  })

  it.each([
    ['none.mjs', '', 'no module'],
    ['empty.mjs', 'export const x = 1', 'function "queue"'],
    ['fetch.mjs', 'export default { fetch() {} }', 'function "queue"'],
    ['broken.mjs', 'export default {', 'cannot be loaded'],
    ['throws.mjs', 'throw new Error("no database")', 'no database'],
    ['broken.ts', 'export default { queue( }', 'cannot be compiled'],
    ['needs.ts', 'import "not-installed"; export default { queue() {} }', 'not-installed'],
  ])('%s is refused with the reason', async (name, text, reason) => {
    const folder = await inFolder(text === '' ? {} : { [name]: text })
    const error = await load(folder, name).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ id: 'WorkerInvalid' })
    expect(String(error)).toContain(reason)
  })

  it('is refused without a queue to consume or a module to run, and with an option that does not exist', async () => {
    const client = await startClient()
    const module = { queue: () => {} }
    const mistaken = { client, modul: module, config: { consumers: [{ queue: 'in' }] } }
    await expect(runWorker(mistaken)).rejects.toThrow(
      'runWorker has no option "modul". Did you mean "module"?',
    )
    await expect(runWorker({ client, module, config: { consumers: [] } })).rejects.toMatchObject({
      id: 'InvalidConfig',
    })
    await expect(runWorker({ client, config: { consumers: [{ queue: 'in' }] } })).rejects.toMatchObject({
      id: 'InvalidConfig',
    })
  })
})
