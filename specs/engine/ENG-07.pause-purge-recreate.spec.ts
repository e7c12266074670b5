import { describe, expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

describe('pause and resume', () => {
  it('[ENG-07] a paused queue delivers nothing and accepts sends; resuming delivers them', async () => {
    await using world = await createWorld()
    await world.queue('mail', { batchWaitMs: 0 })
    const consumer = await world.consumer('mail')
    await world.client.queues.pause('mail')
    await world.sendBatch('mail', ['a', 'b'])
    await world.advance('1 hour')
    expect(consumer.batches).toEqual([])
    expect(await world.receive('mail')).toEqual([])
    expect(await world.client.queues.describe('mail')).toMatchObject({
      deliveryPaused: true,
      counts: { available: 2, sent: 2 },
    })

    await world.client.queues.resume('mail')
    await world.advance('1 second')
    expect(consumer.batches).toEqual([{ at: 3_600, bodies: ['a', 'b'], attempts: [1, 1] }])
  })

  it('[ENG-07] what is in flight when the pause begins can be settled', async () => {
    await using world = await createWorld()
    await world.queue('mail')
    await world.sendBatch('mail', ['a', 'b'])
    const [a, b] = await world.receive('mail', { max: 2 })
    await world.client.queues.pause('mail')
    await a!.ack()
    await b!.retry()
    expect(await world.counts('mail')).toMatchObject({ committed: 1, available: 1 })
    expect(await world.receive('mail')).toEqual([])
  })

  it('[ENG-07] a pause outlives the engine', async () => {
    await using world = await createWorld()
    await world.queue('mail')
    await world.send('mail', 'x')
    await world.client.queues.pause('mail')
    await world.restart('crash')
    expect(await world.receive('mail')).toEqual([])
    await world.client.queues.resume('mail')
    expect(await world.receive('mail')).toHaveLength(1)
  })
})

describe('purge', () => {
  it('[ENG-07] discards every message that is not final, in whatever state, and nothing that comes later', async () => {
    // Given a message in each state
    await using world = await createWorld()
    await world.queue('mail')
    await world.sendBatch('mail', ['committed', 'waiting', 'in flight', 'ready'])
    const [committed, waiting, inflight] = await world.receive('mail', { max: 3 })
    await committed!.ack()
    await waiting!.retry({ delayMs: 60_000 })
    await world.send('mail', 'delayed', { delayMs: 60_000 })

    expect(await world.client.queues.purge('mail')).toEqual({ purged: 4 })
    await world.send('mail', 'later')

    // Then only the later one is there, even when all are due
    await expect(inflight!.extend(60_000)).rejects.toMatchObject({ id: 'UnknownReceipt' })
    await world.advance('1 hour')
    expect((await world.receive('mail', { max: 10 })).map((message) => message.text())).toEqual(['later'])
    expect(await world.counts('mail')).toMatchObject({ discarded: 4, committed: 1 })
  })
})

describe('delete and recreate', () => {
  it('[ENG-07] a queue of the same name is a new one, which no old receipt reaches', async () => {
    // Given a message in flight in a queue that is deleted and created again, with a message in flight too
    await using world = await createWorld()
    await world.queue('mail')
    await world.send('mail', 'old')
    const [old] = await world.receive('mail')
    await world.client.queues.delete('mail')
    await world.queue('mail')
    expect(await world.counts('mail')).toMatchObject({ sent: 0, inflight: 0 })
    await world.send('mail', 'new')
    const [young] = await world.receive('mail')
    expect(young).toMatchObject({ attempt: 1 })
    expect(young!.id).not.toBe(old!.id)

    // Then every verdict by the old receipt is refused, and the new message is untouched
    await expect(old!.ack()).rejects.toMatchObject({ id: 'UnknownReceipt' })
    await expect(old!.retry()).rejects.toMatchObject({ id: 'UnknownReceipt' })
    await expect(old!.release()).rejects.toMatchObject({ id: 'UnknownReceipt' })
    await expect(old!.extend(60_000)).rejects.toMatchObject({ id: 'UnknownReceipt' })
    expect(await world.counts('mail')).toMatchObject({ inflight: 1, committed: 0 })
    await young!.ack()
    expect(await world.counts('mail')).toMatchObject({ committed: 1 })
  })

  it('[ENG-07] the old receipt reaches nothing after a restart either', async () => {
    await using world = await createWorld()
    await world.queue('mail')
    await world.send('mail', 'old')
    const [old] = await world.receive('mail')
    await world.client.queues.delete('mail')
    await world.restart('crash')
    await world.queue('mail')
    await world.send('mail', 'new')
    await world.receive('mail')
    await expect(old!.ack()).rejects.toMatchObject({ id: 'UnknownReceipt' })
    expect(await world.counts('mail')).toMatchObject({ inflight: 1, committed: 0 })
  })

  it('[ENG-07] a deleted queue is unknown, and waiting receives are told so', async () => {
    await using world = await createWorld()
    await world.queue('mail')
    const waiting = world.receive('mail', { waitMs: 20_000 })
    const refused = expect(waiting).rejects.toMatchObject({ id: 'UnknownQueue' })
    await world.advance('1 second')
    await world.client.queues.delete('mail')
    await refused
    await expect(world.send('mail', 'x')).rejects.toMatchObject({ id: 'UnknownQueue' })
  })
})
