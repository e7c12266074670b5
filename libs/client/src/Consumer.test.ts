import { KirokuError } from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { BackPressure, createClient, inProcess, type Batch, type ConsumeOptions } from './index.ts'
import { startTestClient, watchedClient } from './startTestClient.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const start = async (time?: ManualTime) => {
  const { engine, client, events } = await startTestClient(time)
  const counts = async (queue: string) => (await client.queues.describe(queue)).counts
  return { engine, client, events, counts }
}

const atOnce: ConsumeOptions = { batchWaitMs: 0 }
const texts = (batch: Batch): string[] => batch.messages.map((message) => message.text())

describe('a consumer', () => {
  it('acknowledges a batch when its handler returns', async () => {
    const { client, counts } = await start()
    await client.queues.create('mail')
    const seen: string[] = []
    const consumer = client.consume('mail', (batch) => void seen.push(...texts(batch)), atOnce)
    await client.sendBatch('mail', [{ body: 'a' }, { body: 'b' }, { body: 'c' }])
    await waitUntil(async () => (await counts('mail')).committed === 3)
    expect(seen).toEqual(['a', 'b', 'c'])
    await consumer.stop()
    await consumer.closed
  })

  it('asks for no more before the hold that its handler asked for is stored', async () => {
    const { client, engine } = await start()
    await client.queues.create('mail', { batchMessages: 1 })
    await client.sendBatch('mail', [{ body: 'a' }, { body: 'b' }])
    const asked: string[] = []
    const stored = Promise.withResolvers<void>()
    const watched = watchedClient({ engine }, async (commands) => {
      asked.push(...commands.map(({ type }) => type))
      if (commands.some(({ type }) => type === 'Release')) await stored.promise
    })
    const seen: string[] = []
    watched.consumeEach('mail', (message) => {
      seen.push(message.text())
      throw new BackPressure({ delayMs: 3_600_000, holdSubscription: true })
    })
    await waitUntil(() => asked.includes('Release'))
    // Another request that succeeds meanwhile shows that it could have asked.
    await client.queues.describe('mail')
    expect(asked.filter((type) => type === 'Receive')).toHaveLength(1)
    stored.resolve()
    await waitUntil(() => asked.filter((type) => type === 'Receive').length === 2)
    expect((await client.queues.describe('mail')).subscriptions[0]!.hold).toBeDefined()
    expect(seen).toEqual(['a'])
  })

  it('delivers a lone message at once, and waits for a fuller batch only when it or the queue asks for one', async () => {
    const { client, engine } = await start()
    await client.queues.create('mail')
    await client.queues.create('slow', { batchWaitMs: 1_000, batchMessages: 7 })
    const asked: unknown[] = []
    const watched = watchedClient({ engine }, (commands) => {
      for (const command of commands)
        if (command.type === 'Receive') asked.push([command.max, command.batchWaitMs])
    })
    const ask = async (queue: string, options?: ConsumeOptions) => {
      const before = asked.length
      const consumer = watched.consume(queue, () => {}, options)
      await waitUntil(() => asked.length > before)
      await consumer.stop()
      return asked[before]
    }
    expect(await ask('mail')).toEqual([100, 0])
    expect(await ask('slow')).toEqual([7, 1_000])
    expect(await ask('slow', { batchWaitMs: 0 })).toEqual([7, 0])
    expect(await ask('mail', { batchMessages: 3 })).toEqual([3, 0])
  })

  it('closes a batch by size or by time, whichever is first', async () => {
    const { client } = await start()
    await client.queues.create('mail')
    const sizes: number[] = []
    client.consume('mail', (batch) => void sizes.push(batch.messages.length), {
      batchMessages: 10,
      batchWaitMs: 200,
    })
    await client.sendBatch(
      'mail',
      Array.from({ length: 13 }, () => ({ body: 'x' })),
    )
    await waitUntil(() => sizes.length === 2)
    expect(sizes).toEqual([10, 3])
  })

  it('retries a batch when its handler throws, with the error on record, except what was acknowledged', async () => {
    const { client, counts, events } = await start()
    await client.queues.create('mail', { retriesMax: 1, deadLetter: 'mail-dlq' })
    const consumer = client.consume(
      'mail',
      async (batch) => {
        batch.messages.find((message) => message.text() === 'good')?.ack()
        await Promise.reject(new Error('no such table'))
      },
      atOnce,
    )
    await client.sendBatch('mail', [{ body: 'good' }, { body: 'bad' }])
    const [dead] = await client.receive('mail-dlq', { waitMs: 10_000 })
    expect(dead!.text()).toBe('bad')
    expect(dead!.lineage).toMatchObject({ attempts: 2, error: 'no such table', queue: 'mail' })
    expect(await counts('mail')).toMatchObject({ committed: 1, deadLettered: 1 })
    expect(events.filter((event) => event.type === 'handlerFailed')).toHaveLength(2)
    await consumer.stop()
  })

  it('handles batches concurrently, up to its limit', async () => {
    const { client } = await start()
    await client.queues.create('mail')
    let running = 0
    let most = 0
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    client.consume(
      'mail',
      async () => {
        most = Math.max(most, ++running)
        await gate
        running--
      },
      { ...atOnce, batchMessages: 1, concurrency: 3 },
    )
    await client.sendBatch(
      'mail',
      Array.from({ length: 10 }, () => ({ body: 'x' })),
    )
    await waitUntil(() => running === 3)
    release()
    await waitUntil(() => running === 0)
    expect(most).toBe(3)
  })

  it('renews the lease of a handler that works longer', async () => {
    const time = new ManualTime()
    const { client, counts, events } = await start(time)
    await client.queues.create('mail', { leaseMs: 30_000 })
    let attempts = 0
    client.consume(
      'mail',
      async () => {
        attempts++
        await time.sleep(100_000)
      },
      atOnce,
    )
    await client.send('mail', 'long work')
    await waitUntil(() => attempts === 1)
    await time.advance(100_000)
    await waitUntil(async () => (await counts('mail')).committed === 1)
    expect(attempts).toBe(1)
    expect(events.filter((event) => event.type === 'leaseLost')).toEqual([])
  })

  it('loses a lease that it does not renew, and another consumer receives the message', async () => {
    const { client, counts } = await start()
    await client.queues.create('mail')
    const attempts: number[] = []
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    client.consume(
      'mail',
      async (batch) => {
        attempts.push(batch.messages[0]!.attempt)
        if (attempts.length === 1) await gate
      },
      { ...atOnce, renew: false, leaseMs: 50, concurrency: 2 },
    )
    await client.send('mail', 'x')
    await waitUntil(() => attempts.length === 2)
    release()
    expect(attempts).toEqual([1, 2])
    await waitUntil(async () => (await counts('mail')).committed === 1)
  })

  it('starts with a lease that its queue caps far below the requested length', async () => {
    const { client, counts, events } = await start()
    await client.queues.create('mail', { leaseMs: 5_000, leaseCapMs: 5_000 })
    client.consume('mail', () => {}, { ...atOnce, renew: false })
    await client.send('mail', 'x')
    await waitUntil(async () => (await counts('mail')).committed === 1)
    expect(events.filter((event) => event.type === 'released')).toEqual([])
  })

  it('lets handlers finish when it stops', async () => {
    const { client, counts } = await start()
    await client.queues.create('mail')
    let started = false
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const consumer = client.consume('mail', () => ((started = true), gate), atOnce)
    await client.send('mail', 'x')
    await waitUntil(() => started)
    const stopped = consumer.stop()
    await client.send('mail', 'y')
    release()
    await stopped
    expect(await counts('mail')).toMatchObject({ committed: 1, available: 1, inflight: 0 })
  })

  it('releases what its handlers did not finish in time, without counting the attempt', async () => {
    const { client, counts } = await start()
    await client.queues.create('mail')
    let started = false
    const consumer = client.consume(
      'mail',
      (batch) => {
        started = true
        batch.messages[0]!.ack()
        return new Promise(() => {})
      },
      atOnce,
    )
    await client.sendBatch('mail', [{ body: 'done' }, { body: 'not done' }])
    await waitUntil(() => started)
    await consumer.stop({ timeoutMs: 20 })
    expect(await counts('mail')).toMatchObject({ committed: 1, available: 1, inflight: 0 })
    const [message] = await client.receive('mail')
    expect(message).toMatchObject({ attempt: 1 })
    expect(message!.text()).toBe('not done')
  })

  it('aborts the signals of its handlers when it no longer waits for them', async () => {
    const { client } = await start()
    await client.queues.create('mail')
    const heard: string[] = []
    const consumer = client.consume(
      'mail',
      ({ messages: [done, open], signal }) => {
        const note = (who: string, { reason }: AbortSignal) => heard.push(`${who}: ${(reason as Error).name}`)
        signal.addEventListener('abort', () => note('batch', signal))
        open!.signal.addEventListener('abort', () => note('open', open!.signal))
        done!.signal.addEventListener('abort', () => note('done', done!.signal))
        done!.ack()
        return new Promise(() => {})
      },
      atOnce,
    )
    await client.sendBatch('mail', [{ body: 'done' }, { body: 'open' }])
    await waitUntil(async () => (await client.queues.describe('mail')).counts.committed === 1)
    await consumer.stop({ timeoutMs: 20 })
    expect(heard).toEqual(['open: AbortError', 'batch: AbortError'])
  })

  it('continues across a change of owner', async () => {
    const engine = await startMemoryEngine()
    closers.push(() => engine.close())
    const client = createClient(
      inProcess({
        directory: () => engine.node().directory(),
        request: (partition, commands) => engine.node().request(partition, commands),
        onOwnerChanged: () => () => {},
      }),
    )
    closers.push(() => client.close())
    await client.queues.create('mail')
    const seen: string[] = []
    client.consume('mail', (batch) => void seen.push(...texts(batch)), atOnce)
    await client.send('mail', 'before')
    await waitUntil(() => seen.length === 1)
    await engine.restart()
    await client.send('mail', 'after')
    await waitUntil(() => seen.length === 2)
    expect(seen).toEqual(['before', 'after'])
  })

  it('survives an outage of the engine that is longer than its requests are repeated', async () => {
    const engine = await startMemoryEngine()
    closers.push(() => engine.close())
    let away = false
    let refusals = 0
    const client = createClient(
      inProcess({
        directory: () => engine.node().directory(),
        request: (partition, commands) => {
          if (!away) return engine.node().request(partition, commands)
          refusals++
          return Promise.reject(new KirokuError('Unavailable', 'away', { retryAfterMs: 10 }))
        },
        onOwnerChanged: () => () => {},
      }),
      { requestTimeoutMs: 20 },
    )
    closers.push(() => client.close())
    await client.queues.create('mail')
    const seen: string[] = []
    const consumer = client.consume('mail', (batch) => void seen.push(...texts(batch)), atOnce)
    await client.send('mail', 'before')
    await waitUntil(() => seen.length === 1)
    away = true
    await engine.restart()
    await waitUntil(() => refusals > 2)
    away = false
    await client.send('mail', 'after')
    await waitUntil(() => seen.length === 2)
    await consumer.stop()
  })

  it('ends with the error when its queue does not exist', async () => {
    const { client, events } = await start()
    const consumer = client.consume('nowhere', () => {})
    await expect(consumer.closed).rejects.toMatchObject({ id: 'UnknownQueue' })
    expect(events).toContainEqual(expect.objectContaining({ type: 'consumerFailed', queue: 'nowhere' }))
  })
})

describe('a consumer of single messages', () => {
  it('acknowledges and retries each message on its own', async () => {
    const { client, counts } = await start()
    await client.queues.create('mail', { retriesMax: 0 })
    client.consumeEach(
      'mail',
      (message) => {
        if (message.text() === 'bad') throw new Error('bad')
      },
      atOnce,
    )
    await client.sendBatch('mail', [{ body: 'good' }, { body: 'bad' }, { body: 'good' }])
    await waitUntil(async () => (await counts('mail')).discarded === 1)
    await waitUntil(async () => (await counts('mail')).committed === 2)
  })
})

it('renews leases by the given clock', async () => {
  const time = new ManualTime()
  const engine = await startMemoryEngine({ time })
  closers.push(() => engine.close())
  const client = createClient(inProcess(engine.node()), { clock: time })
  closers.push(() => client.close())
  await client.queues.create('mail', { leaseMs: 30_000 })
  let release = (): void => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const attempts: number[] = []
  client.consume('mail', (batch) => (attempts.push(batch.messages[0]!.attempt), gate), {
    ...atOnce,
    concurrency: 2,
  })
  await client.send('mail', 'x')
  await waitUntil(() => attempts.length === 1)
  for (let i = 0; i < 12; i++) await time.advance(9_999)
  release()
  await waitUntil(async () => (await client.queues.describe('mail')).counts.committed === 1)
  expect(attempts).toEqual([1])
})
