import { expect, it } from 'vitest'
import { trace } from '@kiroku/audit'
import { BackPressure, retryAfterMs } from '@kiroku/client'
import { decodeCheckpoint } from '@kiroku/engine'
import { snapshot, stateHash } from '@kiroku/partition'
import { waitUntil } from '@kiroku/testkit'
import { runWorker, type MessageBatch } from '@kiroku/worker'
import {
  createNatsWorld,
  createWorld,
  replay,
  startUpstream,
  type Upstream,
  type World,
} from '../harness/index.ts'

/** No attempt to spare: one that is counted beyond the first goes to the dead-letter queue. */
const noRetries = { retriesMax: 0, deadLetter: 'dead' }

const bodies = Array.from({ length: 30 }, (_, i) => `${i}`)

/** Lets time pass second by second; every call has its answer before it continues. */
const pass = async (world: World, upstream: Upstream, seconds: number): Promise<void> => {
  for (let s = 0; s <= seconds; s++) {
    await world.advance(s === 0 ? '0 seconds' : '1 second')
    while (upstream.open > 0) {
      await waitUntil(() => upstream.open === 0)
      await world.time.settle()
    }
  }
}

const holdOf = async (world: World) => (await world.client.queues.describe('mail')).subscriptions[0]!.hold

/** Nothing was lost: everything was handled, each at its first attempt, and nothing is a dead letter. */
const expectAllHandled = async (world: World, upstream: Upstream, attempts: readonly number[]) => {
  expect(await world.counts('mail')).toMatchObject({
    committed: bodies.length,
    deadLettered: 0,
    discarded: 0,
    available: 0,
    waitingRetry: 0,
  })
  expect((await world.counts('dead')).sent).toBe(0)
  expect(new Set(attempts)).toEqual(new Set([1]))
  const handled = upstream.calls.flatMap(({ status, body }) => (status === 200 ? [body] : []))
  expect(handled.map(Number).sort((a, b) => a - b)).toEqual(bodies.map(Number))
}

const refusedAt = ({ calls }: Upstream): number[] =>
  calls.flatMap(({ at, status }) => (status === 429 ? [at] : []))

it('[ENG-19] a handler that throws BackPressure for ten minutes of HTTP 429 loses nothing, and slows the subscription to the requested pace', async () => {
  // Given an upstream that is too busy for ten minutes, and asks to be left alone for 30 s at a time
  await using world = await createWorld()
  await using upstream = await startUpstream(() => world.seconds)
  upstream.beBusy(600, () => '30')
  await world.queue('mail', noRetries)
  await world.queue('dead')
  const attempts: number[] = []
  world.client.consumeEach(
    'mail',
    async (message) => {
      attempts.push(message.attempt)
      const response = await upstream.call(message.text())
      if (response.status === 429)
        throw new BackPressure({
          retryAfter: response.headers.get('retry-after'),
          holdSubscription: true,
          reason: 'HTTP 429',
        })
    },
    { batchMessages: 5 },
  )

  // When six batches wait, then one of them tries every 30 s, and no other does
  await world.sendBatch('mail', bodies)
  await pass(world, upstream, 599)
  const rounds = Array.from({ length: 20 }, (_, i) => 30 * i)
  expect(refusedAt(upstream)).toEqual(rounds.flatMap((at) => Array<number>(5).fill(at)))
  expect(await holdOf(world)).toMatchObject({ error: 'HTTP 429' })
  expect(world.events.filter(({ type }) => type !== 'backPressure')).toEqual([])

  // And when it ends, everything is handled, at its first attempt
  await pass(world, upstream, 60)
  expect(await holdOf(world)).toBeUndefined()
  await expectAllHandled(world, upstream, attempts)
})

it('[ENG-19] a Worker says the same of a message or a batch, by options of its retry', async () => {
  // Given a Worker of ten batches side by side, each of which stops at the first 429
  await using world = await createWorld()
  await using upstream = await startUpstream(() => world.seconds)
  upstream.beBusy(120, () => '20')
  const attempts: number[] = []
  await world.queue('dead')
  await world.worker({ consumers: [{ queue: 'mail', ...noRetries, batchWaitMs: 0 }] }, async (batch) => {
    for (const message of batch.messages) {
      attempts.push(message.attempts)
      const response = await upstream.call(message.body as string)
      if (response.status === 200) message.ack()
      else {
        const delaySeconds = retryAfterMs(response.headers.get('retry-after'))! / 1_000
        batch.retryAll({ delaySeconds, countAttempt: false, holdSubscription: true, reason: 'HTTP 429' })
        return
      }
    }
  })

  // Then each of its three batches calls once every 20 s
  await world.sendBatch('mail', bodies)
  await pass(world, upstream, 119)
  expect(refusedAt(upstream)).toEqual([0, 20, 40, 60, 80, 100].flatMap((at) => [at, at, at]))
  await pass(world, upstream, 30)
  await expectAllHandled(world, upstream, attempts)
})

it('[ENG-19] a Worker that throws BackPressure gives back what it did not settle', async () => {
  await using world = await createWorld()
  await using upstream = await startUpstream(() => world.seconds)
  upstream.beBusy(60, () => '20')
  await world.queue('dead')
  const worker = await world.worker(
    { consumers: [{ queue: 'mail', ...noRetries, batchWaitMs: 0 }] },
    async (batch) => {
      batch.messages[0]!.ack()
      const response = await upstream.call('x')
      if (response.status === 429) throw new BackPressure({ retryAfter: response.headers.get('retry-after') })
    },
  )
  await world.sendBatch('mail', ['a', 'b', 'c', 'd', 'e'])
  await pass(world, upstream, 90)
  expect(worker.batches.map(({ bodies: each }) => each)).toEqual([
    ['a', 'b', 'c', 'd', 'e'],
    ['b', 'c', 'd', 'e'],
    ['c', 'd', 'e'],
    ['d', 'e'],
  ])
  expect(worker.batches.flatMap((batch) => batch.attempts)).toEqual(Array(14).fill(1))
  expect(await world.counts('mail')).toMatchObject({ committed: 5, deadLettered: 0 })
})

it('[ENG-19] without a hold only what the handler has waits, and the rest continues', async () => {
  // Given one upstream of two that is too busy
  await using world = await createWorld()
  await using upstream = await startUpstream(() => world.seconds)
  upstream.beBusy(45, () => '10')
  await world.queue('mail', noRetries)
  const done: { readonly body: string; readonly at: number; readonly attempt: number }[] = []
  await world.consumer(
    'mail',
    async (batch) => {
      for (const message of batch.messages) {
        const body = message.text()
        const response = body.startsWith('busy') ? await upstream.call(body) : undefined
        if (response?.status === 429)
          message.release({ delayMs: retryAfterMs(response.headers.get('retry-after')), error: 'HTTP 429' })
        else done.push({ body, at: world.seconds, attempt: message.attempt })
      }
    },
    { batchMessages: 2 },
  )

  // When its messages lie between the others, then these are handled at once, and those when it is ready
  await world.sendBatch('mail', ['busy 1', 'fine 1', 'busy 2', 'fine 2', 'fine 3'])
  await pass(world, upstream, 60)
  expect(done).toEqual([
    { body: 'fine 1', at: 0, attempt: 1 },
    { body: 'fine 2', at: 0, attempt: 1 },
    { body: 'fine 3', at: 0, attempt: 1 },
    { body: 'busy 1', at: 50, attempt: 1 },
    { body: 'busy 2', at: 50, attempt: 1 },
  ])
  expect(await world.counts('mail')).toMatchObject({ committed: 5, deadLettered: 0 })
})

it('[ENG-19] a hold outlives its owner, is shown, is never made shorter, and ends by itself', async () => {
  // Given a subscription that is held for a minute
  await using world = await createWorld({ checkpoints: { bytesMin: 1, ageMs: 1 } })
  await world.queue('mail', noRetries)
  await world.sendBatch('mail', ['a', 'b', 'c'])
  const [first, second] = await world.receive('mail', { max: 2, leaseMs: 600_000 })
  await first!.release({ delayMs: 60_000, error: 'HTTP 429', holdSubscription: true })
  const hold = await holdOf(world)
  expect(hold).toEqual({ since: hold!.until - 60_000, until: hold!.until, error: 'HTTP 429' })

  // When a shorter one follows, and the owner dies
  await second!.release({ delayMs: 5_000, holdSubscription: true })
  await world.advance('20 seconds')
  await world.restart('crash', '10 seconds')

  // Then it is what it was, also in the past, and nothing is delivered until it ends
  expect(await holdOf(world)).toEqual(hold)
  expect(await world.receive('mail', { max: 10, waitMs: 0 })).toEqual([])
  let received: readonly string[] = []
  const waiting = world
    .receive('mail', { max: 10, waitMs: 60_000 })
    .then((messages) => (received = messages.map((message) => `${message.text()} ${message.attempt}`)))
  await world.advance('29 seconds')
  expect(received).toEqual([])
  await world.advance('2 seconds')
  await waiting
  expect([...received].sort()).toEqual(['a 1', 'b 1', 'c 1'])
  expect(await holdOf(world)).toBeUndefined()
  const { state } = world.engine.actor(0)
  expect(stateHash(snapshot(await replay(world.log)))).toBe(stateHash(snapshot(state)))
})

it('[ENG-19] an operator who knows better ends a hold by resuming the queue', async () => {
  await using world = await createWorld()
  await world.queue('mail', noRetries)
  await world.sendBatch('mail', ['a', 'b'])
  const [first] = await world.receive('mail', { max: 1 })
  await first!.release({ delayMs: 14 * 86_400_000, holdSubscription: true })
  await world.client.queues.resume('mail')
  expect((await world.receive('mail', { max: 10 })).map((message) => message.text())).toEqual(['b'])
})

it('[ENG-19] the trace says for how long a message was given back, and why', async () => {
  await using world = await createWorld()
  await world.queue('mail', noRetries)
  const { messageId } = await world.client.send('mail', 'x')
  await world.consumer('mail', (batch) => {
    if (world.seconds < 30) throw new BackPressure({ retryAfter: '30', reason: 'HTTP 429' })
    batch.ackAll()
  })
  await world.advance('1 minute')
  const { steps, attempts } = await trace(world.log, messageId, { decodeCheckpoint })
  expect(steps.map(({ event, state, attempt }) => `${event} ${state} ${attempt}`)).toEqual([
    'Enqueued Available 0',
    'Delivered Inflight 1',
    'Deferred WaitingRetry 0',
    'RetryDue Available 0',
    'Delivered Inflight 1',
    'Acked Committed 1',
  ])
  expect(steps[2]!.dueAt! - steps[2]!.at).toBe(30_000)
  expect(attempts).toMatchObject([
    { attempt: 1, outcome: 'Deferred', error: 'HTTP 429' },
    { attempt: 1, outcome: 'Acked' },
  ])
})

it('[ENG-19] retention ends what is given back endlessly', async () => {
  await using world = await createWorld()
  await world.queue('mail', { ...noRetries, retentionMs: 3_600_000 })
  const consumer = await world.consumer('mail', () => {
    throw new BackPressure({ retryAfter: '600' })
  })
  await world.send('mail', 'x')
  await world.advance('3 hours')
  expect(consumer.times('x')).toEqual([0, 600, 1_200, 1_800, 2_400, 3_000])
  expect(await world.counts('mail')).toMatchObject({ discarded: 1, deadLettered: 0, waitingRetry: 0 })
})

it('[ENG-19] once in real time over NATS: a client and a Worker wait for an upstream that says when', async () => {
  await using world = await createNatsWorld()
  const begunMs = performance.now()
  const seconds = (): number => (performance.now() - begunMs) / 1_000
  const { client } = await world.remoteClient('consumer')
  for (const queue of ['mail', 'work']) {
    await using upstream = await startUpstream(seconds)
    // One says it in seconds, the other by a date, which knows whole seconds only
    const until = seconds() + 2.5
    upstream.beBusy(until, () => (queue === 'mail' ? '1' : new Date(Date.now() + 1_000).toUTCString()))
    await client.queues.create(`${queue}-dead`)
    await client.queues.create(queue, { retriesMax: 0, deadLetter: `${queue}-dead`, batchMessages: 5 })
    await client.sendBatch(
      queue,
      bodies.map((body) => ({ body })),
    )
    const attempts: number[] = []
    const handle = async (body: string): Promise<void> => {
      const response = await upstream.call(body)
      if (response.status === 200) return
      throw new BackPressure({ retryAfter: response.headers.get('retry-after'), holdSubscription: true })
    }
    const consumer =
      queue === 'mail'
        ? client.consumeEach(queue, (message) => {
            attempts.push(message.attempt)
            return handle(message.text())
          })
        : await runWorker({
            client,
            config: { consumers: [{ queue, concurrency: 1 }] },
            module: {
              queue: async (batch: MessageBatch) => {
                attempts.push(...batch.messages.map((message) => message.attempts))
                for (const message of batch.messages) {
                  await handle(message.body as string)
                  message.ack()
                }
              },
            },
          })
    await waitUntil(async () => (await client.queues.describe(queue)).counts.committed === bodies.length)
    await consumer.stop()

    // Nothing was lost, no attempt was counted, and while it was busy it was called by at most one batch per
    // second
    expect((await client.queues.describe(queue)).counts).toMatchObject({ deadLettered: 0, discarded: 0 })
    expect((await client.queues.describe(`${queue}-dead`)).counts.sent).toBe(0)
    expect(new Set(attempts)).toEqual(new Set([1]))
    const refused = refusedAt(upstream)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThanOrEqual(3 * 5)
    expect(upstream.calls.filter(({ status }) => status === 200)).toHaveLength(bodies.length)
  }
})
