import type { LogEvent } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { createNatsWorld, Gate } from '../harness/index.ts'

type World = Awaited<ReturnType<typeof createNatsWorld>>

const typesIn = async (world: World): Promise<LogEvent['type'][]> =>
  (await world.record()).map(({ type }) => type)

/** Runs a call and reports whether its caller has seen it end. */
const watched = <A>(call: Promise<A>) => {
  const state = { seen: false, call }
  const see = (): void => void (state.seen = true)
  call.then(see, see)
  return state
}

it('[CARD-02] every transition is in the stream when its answer is seen', async () => {
  // Given a queue with a dead-letter queue on a real JetStream log
  await using world = await createNatsWorld()
  const { client } = world
  const last = async (): Promise<LogEvent['type'] | undefined> => (await typesIn(world)).at(-1)

  // Then after every single answer the event is what the stream ends with
  await client.queues.create('dead')
  expect(await last()).toBe('QueueCreated')
  await client.queues.create('mail', { deadLetter: 'dead', leaseMs: 60_000 })
  await client.send('mail', 'x')
  expect(await last()).toBe('Enqueued')
  const receive = async () => (await client.receive('mail', { mode: 'push', waitMs: 1_000 }))[0]!
  const first = await receive()
  expect(await last()).toBe('Delivered')
  await first.extend(120_000)
  expect(await last()).toBe('LeaseExtended')
  await first.release()
  expect(await last()).toBe('Released')
  await (await receive()).retry({ delayMs: 1 })
  expect(await typesIn(world)).toContain('RetryScheduled')
  const third = await receive()
  expect((await typesIn(world)).slice(-2)).toEqual(['RetryDue', 'Delivered'])
  await third.deadLetter('enough')
  expect(await typesIn(world)).toContain('DeadLettered')
  const [dead] = await client.receive('dead', { waitMs: 5_000 })
  expect(await typesIn(world)).toContain('ForwardReceived')
  await dead!.ack()
  expect(await typesIn(world)).toContain('Acked')
  await client.queues.pause('mail')
  expect(await last()).toBe('DeliveryPaused')
  await client.queues.purge('mail')
  await client.queues.delete('mail')
  // Its lanes end with it, which is on record behind it.
  expect(await typesIn(world)).toContain('QueueDeleted')
})

it('[CARD-02] while an event is not in the stream, its effect is invisible', async () => {
  // Given an engine whose appends do not get through to JetStream
  const gate = new Gate()
  await using world = await createNatsWorld({ between: (log) => gate.before(log) })
  await using _opened = { [Symbol.asyncDispose]: async () => gate.open() }
  await world.client.queues.create('mail')
  await world.client.queues.create('other')
  const before = await typesIn(world)
  gate.hold('requests')

  // When a client sends, and others ask for what this changed, or for what it did not
  const sending = watched(world.client.send('mail', 'x'))
  await waitUntil(() => gate.waiting === 1)
  const asking = [
    watched(world.client.queues.describe('mail')),
    watched(world.client.receive('other')),
    watched(world.client.queues.create('mail')),
    watched(world.client.queues.describe('unknown')),
  ]
  expect(await typesIn(world)).toEqual(before)
  const receiving = watched(world.client.receive('mail'))
  await waitUntil(() => gate.waiting === 2)

  // Then the stream is unchanged, and no client has an answer of any kind
  expect(await typesIn(world)).toEqual(before)
  expect([sending, ...asking, receiving].map(({ seen }) => seen)).toEqual(Array(6).fill(false))

  // And when the appends get through, all have
  gate.open()
  await sending.call
  const [described, empty, created, unknown] = await Promise.allSettled(
    asking.map(({ call }) => call as Promise<unknown>),
  )
  expect(described).toMatchObject({ value: { counts: { sent: 1 } } })
  expect(await receiving.call).toMatchObject([{ attempt: 1 }])
  expect(empty).toMatchObject({ value: [] })
  expect(created).toMatchObject({ value: { created: false } })
  expect(unknown).toMatchObject({ reason: { id: 'UnknownQueue' } })
  expect((await typesIn(world)).slice(before.length)).toEqual(['Enqueued', 'Delivered'])
})

it('[CARD-02] an event is in the stream first, and only then the answer goes out', async () => {
  // Given an engine that does not hear what JetStream answers
  const gate = new Gate()
  await using world = await createNatsWorld({ between: (log) => gate.before(log) })
  await using _opened = { [Symbol.asyncDispose]: async () => gate.open() }
  await world.client.queues.create('mail')
  gate.hold('answers')

  // When a send is stored, the sender has not heard of it
  const sending = watched(world.client.send('mail', 'x'))
  await waitUntil(() => gate.waiting === 1)
  expect(await typesIn(world)).toContain('Enqueued')
  expect(sending.seen).toBe(false)

  // Until the engine has
  gate.open()
  expect(await sending.call).toMatchObject({ messageId: expect.any(String) })
})
