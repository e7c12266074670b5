import { describe, expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

/** Sends messages named after their group: `a1`, `b1`, … */
const sendAll = async (world: World, ...names: readonly string[]): Promise<void> => {
  await world.client.sendBatch(
    'orders',
    names.map((name) => ({ body: name, group: name[0]! })),
  )
  await world.time.settle()
}

const bodiesOf = (messages: readonly { text(): string }[]): string[] => messages.map((m) => m.text())

describe('a queue with message groups', () => {
  it('[ENG-01] delivers several of one group in one batch, in order, and none of it after that until they are settled', async () => {
    await using world = await createWorld()
    await world.queue('orders', { groups: 'ordered' })
    await sendAll(world, 'a1', 'b1', 'a2', 'a3')
    const first = await world.receive('orders', { max: 2 })
    expect(bodiesOf(first)).toEqual(['a1', 'a2'])
    expect(bodiesOf(await world.receive('orders', { max: 10 }))).toEqual(['b1'])
    expect(await world.receive('orders', { max: 10 })).toEqual([])
    await first[0]!.ack()
    expect(await world.receive('orders', { max: 10 })).toEqual([])
    await first[1]!.ack()
    expect(bodiesOf(await world.receive('orders', { max: 10 }))).toEqual(['a3'])
  })

  it('[ENG-01] lets unrelated groups continue while one is blocked', async () => {
    await using world = await createWorld()
    await world.queue('orders', { groups: 'ordered', batchMessages: 1, batchWaitMs: 0, leaseMs: 60_000 })
    await sendAll(world, ...Array.from({ length: 10 }, (_, i) => [`a${i}`, `b${i}`, `c${i}`]).flat())
    const [held] = await world.receive('orders')
    expect(held!.text()).toBe('a0')
    const consumer = await world.consumer('orders')
    await world.advance('1 second')
    const handled = consumer.batches.flatMap((batch) => batch.bodies)
    expect(handled.filter((b) => String(b).startsWith('b'))).toEqual(
      Array.from({ length: 10 }, (_, i) => `b${i}`),
    )
    expect(handled.filter((b) => String(b).startsWith('c'))).toEqual(
      Array.from({ length: 10 }, (_, i) => `c${i}`),
    )
    expect(handled).toHaveLength(20)
    await held!.ack()
    await world.advance('1 second')
    expect(await world.counts('orders')).toMatchObject({ committed: 30, available: 0, inflight: 0 })
  })

  it('[ENG-01] keeps the order over failures, expired leases and a crash', async () => {
    await using world = await createWorld()
    await world.queue('orders', {
      groups: 'ordered',
      retriesMax: 5,
      leaseMs: 1_000,
      retry: { kind: 'fixed', delayMs: 500 },
    })
    await sendAll(world, ...Array.from({ length: 12 }, (_, i) => `a${i}`))
    let failures = 0
    const committed: string[] = []
    const consumer = await world.consumer(
      'orders',
      (batch) => {
        for (const message of batch.messages) {
          if (failures++ % 3 === 1)
            return batch.messages.slice(batch.messages.indexOf(message)).forEach((m) => m.retry())
          committed.push(message.text())
          message.ack()
        }
      },
      { batchMessages: 3, batchWaitMs: 0 },
    )
    await world.advance('3 seconds')
    await world.restart('crash', '2 seconds')
    await world.advance('1 minute')
    await consumer.stop()
    expect(committed).toEqual(Array.from({ length: 12 }, (_, i) => `a${i}`))
  })

  it('[ENG-01] is not held up by a message that still waits for its time', async () => {
    await using world = await createWorld()
    await world.queue('orders', { groups: 'ordered' })
    await world.send('orders', 'a-later', { group: 'a', delayMs: 5_000 })
    await sendAll(world, 'a1')
    const [first] = await world.receive('orders')
    expect(first!.text()).toBe('a1')
    await world.advance('5 seconds')
    expect(await world.receive('orders')).toEqual([])
    await first!.ack()
    expect(bodiesOf(await world.receive('orders'))).toEqual(['a-later'])
  })

  it('[ENG-01] keeps the rest of a batch back while an earlier one of it is extended or failed', async () => {
    await using world = await createWorld()
    await world.queue('orders', { groups: 'ordered', leaseMs: 1_000, retriesMax: 5 })
    await sendAll(world, 'a1', 'a2', 'a3')
    const [one, two] = await world.receive('orders', { max: 2 })
    await one!.extend(10_000)
    await world.advance('2 seconds')
    // The lease of the second has expired, but the first is still in flight.
    expect(await world.receive('orders', { max: 10 })).toEqual([])
    await one!.retry({ delayMs: 0 })
    expect(bodiesOf(await world.receive('orders', { max: 10 }))).toEqual(['a1', 'a2', 'a3'])
    expect(two!.text()).toBe('a2')
  })

  it('[ENG-01] delivers what came back again ahead of what is still in flight behind it, and nothing after that', async () => {
    await using world = await createWorld()
    await world.queue('orders', { groups: 'ordered', leaseMs: 1_000, retriesMax: 5 })
    await sendAll(world, 'a1', 'a2', 'a3', 'a4')
    const [, two] = await world.receive('orders', { max: 3 })
    await two!.extend(10_000)
    await world.advance('2 seconds')
    // The leases of the first and the third have expired.
    const [one, ...others] = await world.receive('orders', { max: 10 })
    expect([one!.text(), others]).toEqual(['a1', []])
    expect(await world.receive('orders', { max: 10 })).toEqual([])
    await one!.retry({ delayMs: 0 })
    await two!.retry({ delayMs: 0 })
    expect(bodiesOf(await world.receive('orders', { max: 10 }))).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('[ENG-01] has single messages of a group handled one after another, and nothing behind one that failed until it is through', async () => {
    await using world = await createWorld()
    await world.queue('orders', {
      groups: 'ordered',
      retriesMax: 5,
      retry: { kind: 'fixed', delayMs: 1_000 },
    })
    await sendAll(world, 'a1', 'b1', 'a2', 'a3', 'b2')
    const began: string[] = []
    const ended: string[] = []
    const consumer = world.client.consumeEach('orders', async (message) => {
      const name = message.text()
      began.push(`${name} ${message.attempt}`)
      await world.sleep('100 millis')
      if (name === 'a2' && message.attempt < 3) throw new Error('not yet')
      ended.push(name)
    })
    await world.advance('150 millis')
    expect(began).toEqual(['a1 1', 'b1 1', 'a2 1', 'b2 1'])
    await world.advance('1 minute')
    await consumer.stop()
    expect(began.filter((each) => each.startsWith('a'))).toEqual(['a1 1', 'a2 1', 'a2 2', 'a2 3', 'a3 1'])
    expect(ended.toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2'])
  })

  it('[ENG-01] wants a group with every message', async () => {
    await using world = await createWorld()
    await world.queue('orders', { groups: 'ordered' })
    await expect(world.client.send('orders', 'x')).rejects.toMatchObject({ id: 'InvalidArgument' })
    await world.queue('plain')
    await expect(world.client.send('plain', 'x', { group: 'a' })).rejects.toMatchObject({
      id: 'InvalidArgument',
    })
    await expect(world.client.queues.update('plain', { groups: 'ordered' })).rejects.toMatchObject({
      id: 'InvalidConfig',
    })
  })
})
