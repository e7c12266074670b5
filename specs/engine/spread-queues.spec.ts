import { describe, expect, it } from 'vitest'
import { verify } from '@kiroku/audit'
import type { QueueSettings } from '@kiroku/client'
import { decodeCheckpoint } from '@kiroku/engine'
import { createWorld, type World } from '../harness/index.ts'

const worldWith = async (settings: QueueSettings = {}): Promise<World> => {
  const world = await createWorld({ partitions: 4 })
  await world.queue('orders', settings)
  return world
}

/** Spreads the queue over this many partitions, with the time that it takes. */
const spread = async (world: World, partitions: number, span: '100 millis' | '5 seconds' = '100 millis') => {
  const done = world.client.queues.spread('orders', partitions)
  await world.advance(span)
  await done
}

const statesOf = async (world: World): Promise<string[]> =>
  ((await world.client.queues.describe('orders')).spread?.parts ?? []).map(({ state }) => state)

/** What the whole record says that could not be. */
const problems = async (world: World): Promise<unknown[]> =>
  (await verify(world.log, { decodeCheckpoint })).partitions.flatMap(({ problem }) => problem ?? [])

/** Sends numbered messages, this many every 10 ms, until stopped; counts what was accepted. */
const produce = (world: World, count: number) => {
  let sent = 0
  let running = true
  const sends: Promise<unknown>[] = []
  const step = (): void => {
    if (!running) return
    for (let i = 0; i < count; i++) sends.push(world.client.send('orders', `${++sent}`))
    world.time.after(10, step)
  }
  step()
  return {
    /** Resolves with the bodies of all that were accepted, when all are. */
    end: async (): Promise<string[]> => {
      running = false
      await world.advance('20 seconds')
      await Promise.all(sends)
      return Array.from({ length: sent }, (_, i) => `${i + 1}`)
    },
  }
}

describe('a spread queue', () => {
  it('stores on all its partitions, and its consumers get everything once', async () => {
    await using world = await worldWith({ batchWaitMs: 0 })
    await spread(world, 4)
    for (let i = 0; i < 40; i++) await world.send('orders', `${i}`)
    expect(await statesOf(world)).toEqual(['home', 'open', 'open', 'open'])
    const { counts, spread: parts } = await world.client.queues.describe('orders')
    expect(counts).toMatchObject({ available: 40, sent: 40 })
    expect(parts!.parts.map((part) => part.counts!.sent)).toEqual([10, 10, 10, 10])
    const consumer = await world.consumer('orders')
    await world.advance('1 second')
    expect(consumer.batches.flatMap((batch) => batch.bodies).toSorted()).toEqual(
      Array.from({ length: 40 }, (_, i) => `${i}`).toSorted(),
    )
    expect(await world.counts('orders')).toMatchObject({ committed: 40, redelivered: 0 })
    expect(await world.client.queues.list()).toMatchObject([{ name: 'orders', counts: { committed: 40 } }])
  })

  it('stores a batch whole, and its ids name the messages in their order', async () => {
    await using world = await worldWith()
    await spread(world, 2)
    const bodies = Array.from({ length: 2_500 }, (_, i) => ({ body: `${i}` }))
    const { messageIds } = await world.client.sendBatch('orders', bodies)
    expect(new Set(messageIds).size).toBe(2_500)
    const got = new Map<string, string>()
    while (got.size < 2_500)
      for (const message of await world.receive('orders', { max: 1_000 })) got.set(message.id, message.text())
    expect(messageIds.map((id) => got.get(id))).toEqual(bodies.map(({ body }) => body))
  })

  it('gives a receive nothing only when all its parts are empty, and then waits at all of them', async () => {
    await using world = await worldWith()
    await spread(world, 4)
    for (let i = 0; i < 8; i++) {
      await world.send('orders', `${i}`)
      const [message] = await world.receive('orders', { waitMs: 0 })
      expect(message?.text()).toBe(`${i}`)
      await message!.ack()
    }
    expect(await world.receive('orders', { waitMs: 0 })).toEqual([])
    for (let i = 0; i < 4; i++) {
      const waiting = world.receive('orders', { waitMs: 20_000 })
      await world.advance('10 seconds')
      await world.send('orders', `late ${i}`)
      await world.advance('100 millis')
      const [message] = await waiting
      expect(message).toMatchObject({ attempt: 1 })
      await message!.ack()
    }
    const waiting = world.receive('orders', { waitMs: 5_000 })
    await world.advance('5 seconds')
    expect(await waiting).toEqual([])
    expect(await world.counts('orders')).toMatchObject({ committed: 12, redelivered: 0 })
  })

  it('settles by receipt wherever the message is, and brings dead letters of all parts to one queue', async () => {
    await using world = await worldWith({ retriesMax: 0, deadLetter: 'dead' })
    await spread(world, 4)
    for (let i = 0; i < 8; i++) await world.send('orders', `${i}`)
    const messages = []
    while (messages.length < 8) messages.push(...(await world.receive('orders', { max: 10 })))
    await world.client.retry(messages.map((message) => message.receipt))
    await world.advance('1 second')
    expect(await world.counts('orders')).toMatchObject({ deadLettered: 8 })
    expect(await world.counts('dead')).toMatchObject({ sent: 8 })
    const dead = await world.receive('dead', { max: 10 })
    expect(dead.map((message) => message.lineage?.queue)).toEqual(Array(8).fill('orders'))
    expect(new Set(dead.map((message) => message.id))).toEqual(new Set(messages.map((message) => message.id)))
  })

  it('is changed, paused, purged and deleted as one', async () => {
    await using world = await worldWith()
    await spread(world, 3)
    const { queues } = world.client
    await queues.update('orders', { leaseMs: 7_000 })
    await queues.pause('orders')
    for (let i = 0; i < 9; i++) await world.send('orders', `${i}`)
    expect(await world.receive('orders', { waitMs: 0 })).toEqual([])
    await queues.resume('orders')
    for (let i = 0; i < 3; i++) {
      const [message] = await world.receive('orders')
      expect(message!.leaseUntil - Date.UTC(2026, 0, 1) - world.time.now()).toBe(7_000)
    }
    expect(await queues.purge('orders')).toEqual({ purged: 9 })
    expect(await world.counts('orders')).toMatchObject({ available: 0, inflight: 0, discarded: 9 })
    await queues.delete('orders')
    expect(await queues.list()).toEqual([])
    await expect(world.send('orders', 'x')).rejects.toMatchObject({ id: 'UnknownQueue' })
    await world.queue('orders')
    await world.send('orders', 'new')
    expect((await world.receive('orders'))[0]!.text()).toBe('new')
  })

  it('shares its limits out among its parts, so that all of them together keep to them', async () => {
    await using world = await worldWith({ rateMax: 40, batchWaitMs: 0, inflightMax: 8 })
    await spread(world, 4)
    for (let i = 0; i < 400; i++) await world.client.send('orders', `${i}`)
    let most = 0
    const work = async (): Promise<void> => {
      most = Math.max(most, (await world.counts('orders')).inflight)
      await world.sleep('10 millis')
    }
    const consumer = await world.consumer('orders', work, { concurrency: 20 })
    await world.advance('5 seconds')
    const got = consumer.batches.flatMap((batch) => batch.bodies)
    expect(got.length).toBeGreaterThan(190)
    // A second's worth may have been saved up before.
    expect(got.length).toBeLessThanOrEqual(240)
    expect(most).toBeLessThanOrEqual(8)
    await expect(world.client.queues.update('orders', { rateMax: 3 })).rejects.toMatchObject({
      id: 'InvalidConfig',
    })
  })

  it('cannot be one that keeps order, nor lie on more partitions than there are', async () => {
    await using world = await worldWith({ groups: 'ordered' })
    await expect(world.client.queues.spread('orders', 2)).rejects.toMatchObject({ id: 'InvalidConfig' })
    await expect(world.client.queues.spread('orders', 5)).rejects.toMatchObject({ id: 'InvalidArgument' })
    await expect(world.client.queues.spread('orders', 0)).rejects.toMatchObject({ id: 'InvalidArgument' })
  })
})

describe('a queue that grows and shrinks under load', () => {
  it('loses nothing and doubles nothing, for producers and consumers that know nothing of it', async () => {
    await using world = await worldWith({ batchWaitMs: 0, batchMessages: 5 })
    const consumer = await world.consumer('orders', () => world.sleep('5 millis'), { concurrency: 3 })
    const producer = produce(world, 4)
    await world.advance('1 second')
    await spread(world, 4)
    await world.advance('2 seconds')
    const { spread: parts } = await world.client.queues.describe('orders')
    for (const part of parts!.parts) expect(part.counts!.committed).toBeGreaterThan(50)
    await spread(world, 2)
    await world.advance('2 seconds')
    await spread(world, 1)
    await world.advance('2 seconds')
    const sent = await producer.end()
    const got = consumer.batches.flatMap((batch) => batch.bodies)
    expect(got.toSorted()).toEqual(sent.toSorted())
    expect(await statesOf(world)).toEqual([])
    expect(await world.counts('orders')).toMatchObject({
      sent: sent.length,
      committed: sent.length,
      redelivered: 0,
    })
    expect(world.events.filter(({ type }) => type === 'consumerFailed')).toEqual([])
    expect(await problems(world)).toEqual([])
  })

  it('continues when the engine crashes in the middle of it', async () => {
    await using world = await worldWith({ batchWaitMs: 0, leaseMs: 2_000 })
    const consumer = await world.consumer('orders', () => world.sleep('5 millis'), { concurrency: 3 })
    const producer = produce(world, 4)
    for (const partitions of [4, 2, 3, 1]) {
      await world.advance('500 millis')
      const done = world.client.queues.spread('orders', partitions)
      // Before anybody could have heard of it, or at some moment of it.
      await world.advance(partitions % 2 === 0 ? '0 millis' : '1 millis')
      await world.restart('crash', '1 second')
      await world.advance('5 seconds')
      await done
    }
    const sent = await producer.end()
    const got = consumer.batches.flatMap((batch) => batch.bodies)
    expect(new Set(got)).toEqual(new Set(sent))
    expect(await statesOf(world)).toEqual([])
    expect(await world.counts('orders')).toMatchObject({
      sent: sent.length,
      committed: sent.length,
      available: 0,
    })
    expect(await problems(world)).toEqual([])
  })

  it('follows the record although its caller is gone, and was never answered', async () => {
    await using world = await worldWith()
    const other = world.newProcess('other')
    void other.client.queues.spread('orders', 3).catch(() => {})
    await world.time.settle()
    other.crash()
    await world.restart('crash')
    await world.advance('1 second')
    expect(await statesOf(world)).toEqual(['home', 'open', 'open'])
  })

  it('keeps a part that still has messages until they are done', async () => {
    await using world = await worldWith({ leaseMs: 60_000 })
    await spread(world, 2)
    for (let i = 0; i < 4; i++) await world.send('orders', `${i}`)
    const held = await world.receive('orders', { max: 10 })
    held.push(...(await world.receive('orders', { max: 10 })))
    expect(held).toHaveLength(4)
    await spread(world, 1)
    await world.advance('30 seconds')
    expect(await statesOf(world)).toEqual(['home', 'sealed'])
    for (let i = 0; i < 4; i++) await world.send('orders', `late ${i}`)
    expect((await world.client.queues.describe('orders')).spread!.parts[1]!.counts).toMatchObject({ sent: 2 })
    await Promise.all(held.map((message) => message.ack()))
    await world.advance('2 seconds')
    expect(await statesOf(world)).toEqual([])
    expect(await world.counts('orders')).toMatchObject({ sent: 8, committed: 4, available: 4 })
  })
})
