import { describe, expect, it } from 'vitest'
import type { ReceivedMessage } from '@kiroku/client'
import { createWorld, untilCheckpoint, type World } from '../harness/index.ts'

const attemptId = 'worker-7/batch-1'
const hour = 3_600_000

/** A queue with five messages whose leases are an hour long. */
const fullWorld = async (options: Parameters<typeof createWorld>[0] = {}): Promise<World> => {
  const world = await createWorld(options)
  await world.queue('mail', { leaseMs: hour })
  await world.sendBatch('mail', ['a', 'b', 'c', 'd', 'e'])
  return world
}
const texts = (messages: readonly ReceivedMessage[]): string[] => messages.map((message) => message.text())
const receipts = (messages: readonly ReceivedMessage[]): string[] =>
  messages.map((message) => message.receipt)

describe('a receive repeated with the same attempt id', () => {
  it('[ENG-13] gets the same batch with the same receipts, as the same attempt', async () => {
    await using world = await fullWorld()
    const first = await world.receive('mail', { max: 2, attemptId })
    await world.advance('1 minute')
    const again = await world.receive('mail', { max: 2, attemptId })
    expect(texts(again)).toEqual(['a', 'b'])
    expect(receipts(again)).toEqual(receipts(first))
    expect(again.map(({ attempt }) => attempt)).toEqual([1, 1])
    expect(await world.counts('mail')).toMatchObject({ inflight: 2, available: 3, redelivered: 0 })
  })

  it('[ENG-13] gets it also as another client, and under another lease', async () => {
    await using world = await fullWorld()
    await world.receive('mail', { max: 2, attemptId })
    const other = world.newClient('other')
    const again = await other.receive('mail', { max: 2, attemptId, leaseMs: 60_000 })
    expect(texts(again)).toEqual(['a', 'b'])
    await world.advance('1 minute')
    expect(await world.counts('mail')).toMatchObject({ inflight: 0, available: 5 })
  })

  it('[ENG-13] keeps the batch for as long as it is repeated, though each lease alone would have ended', async () => {
    await using world = await fullWorld()
    for (let i = 0; i < 4; i++) {
      expect(texts(await world.receive('mail', { max: 2, attemptId, leaseMs: 30_000 }))).toEqual(['a', 'b'])
      await world.advance('29 seconds')
    }
    expect(await world.counts('mail')).toMatchObject({ inflight: 2, redelivered: 0 })
  })

  it('[ENG-13] gets what is left of the batch', async () => {
    await using world = await fullWorld()
    const [, second] = await world.receive('mail', { max: 3, attemptId })
    await second!.ack()
    expect(texts(await world.receive('mail', { max: 3, attemptId }))).toEqual(['a', 'c'])
  })

  it('[ENG-13] gets other messages when nothing of the batch is held any more', async () => {
    await using world = await fullWorld()
    const first = await world.receive('mail', { max: 2, attemptId })
    await world.client.ack(receipts(first))
    expect(texts(await world.receive('mail', { max: 2, attemptId }))).toEqual(['c', 'd'])
  })

  it('[ENG-13] gets the same batch up to five minutes after the first, to the millisecond', async () => {
    await using world = await fullWorld()
    await world.receive('mail', { max: 1, attemptId })
    await world.advance('299999 millis')
    expect(texts(await world.receive('mail', { max: 1, attemptId }))).toEqual(['a'])
    await world.advance('1 millis')
    expect(texts(await world.receive('mail', { max: 1, attemptId }))).toEqual(['b'])
  })

  it('[ENG-13] gets nothing that another consumer holds by now', async () => {
    await using world = await fullWorld()
    await world.receive('mail', { max: 5, attemptId, leaseMs: 1_000 })
    await world.advance('1 second')
    expect(texts(await world.receive('mail', { max: 4 }))).toEqual(['a', 'b', 'c', 'd'])
    expect(texts(await world.receive('mail', { max: 5, attemptId }))).toEqual(['e'])
  })

  it('[ENG-13] gets the same batch of a queue that is spread over partitions', async () => {
    await using world = await createWorld({ partitions: 4 })
    await world.queue('mail', { leaseMs: hour })
    const spreading = world.client.queues.spread('mail', 4)
    await world.advance('1 second')
    await spreading
    for (let i = 0; i < 12; i++) await world.send('mail', i)
    const first = await world.receive('mail', { attemptId })
    for (let i = 0; i < 4; i++)
      expect(receipts(await world.receive('mail', { attemptId }))).toEqual(receipts(first))
    expect(await world.counts('mail')).toMatchObject({ inflight: 1, available: 11 })
  })
})

describe('a batch that a receive got is known', () => {
  it.each(['drain', 'crash'] as const)('[ENG-13] to the next engine after a %s', async (how) => {
    await using world = await fullWorld()
    const first = await world.receive('mail', { max: 2, attemptId })
    await world.restart(how, '1 minute')
    expect(receipts(await world.receive('mail', { max: 2, attemptId }))).toEqual(receipts(first))
  })

  it('[ENG-13] to an engine that begins with a checkpoint', async () => {
    await using world = await fullWorld({ checkpoints: { bytesMin: 1, ageMs: 1 } })
    const first = await world.receive('mail', { max: 2, attemptId })
    await untilCheckpoint(world.client)
    await world.restart('crash')
    expect(receipts(await world.receive('mail', { max: 2, attemptId }))).toEqual(receipts(first))
  })
})

describe('a receive whose answer is lost', () => {
  it('[ENG-13] gets its batch as soon as the client asks again, not when the lease expires', async () => {
    await using world = await fullWorld()
    world.engine.loseAnswers(1)
    const receiving = world.receive('mail', { max: 2 })
    await world.advance('10 seconds')
    expect(texts(await receiving)).toEqual(['a', 'b'])
    expect(await world.counts('mail')).toMatchObject({ inflight: 2, available: 3, redelivered: 0 })
  })

  it('[ENG-13] gets its batch from the engine that comes after the one that crashed', async () => {
    await using world = await fullWorld()
    world.engine.loseAnswers(1)
    const receiving = world.receive('mail', { max: 2 })
    await world.time.settle()
    await world.restart('crash', '2 seconds')
    await world.advance('10 seconds')
    const messages = await receiving
    expect(texts(messages)).toEqual(['a', 'b'])
    expect(messages.map(({ attempt }) => attempt)).toEqual([1, 1])
  })

  it('[ENG-13] does not make a consumer handle anything twice, nor wait for a lease', async () => {
    await using world = await fullWorld()
    world.engine.loseAnswers(3)
    const consumer = await world.consumer('mail', () => {}, { batchMessages: 2, batchWaitMs: 0 })
    await world.advance('1 minute')
    expect(consumer.batches.flatMap(({ bodies }) => bodies).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await world.counts('mail')).toMatchObject({ committed: 5, redelivered: 0 })
  })
})
