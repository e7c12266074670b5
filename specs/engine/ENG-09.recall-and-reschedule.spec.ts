import { describe, expect, it } from 'vitest'
import { trace } from '@kiroku/audit'
import type { CheckpointPolicy } from '@kiroku/engine'
import { createWorld, untilCheckpoint, type World } from '../harness/index.ts'

const day = 86_400_000

/** A queue with one message that is due in ten minutes. */
const delayedWorld = async (checkpoints?: CheckpointPolicy) => {
  const world = await createWorld({ recordMs: 20 * day, ...(checkpoints && { checkpoints }) })
  await world.queue('mail')
  const { messageId } = await world.client.send('mail', 'reminder', { delayMs: 600_000 })
  return { world, messageId, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}
const texts = async (world: World): Promise<string[]> =>
  (await world.receive('mail', { max: 10 })).map((message) => message.text())

describe('a delayed message that is recalled', () => {
  it('[ENG-09] is never delivered, not even after its due time', async () => {
    await using given = await delayedWorld()
    const { world, messageId } = given
    const consumer = await world.consumer('mail')
    await world.advance('9 minutes')
    await world.client.recall(messageId)
    await world.advance('1 hour')
    expect(consumer.batches).toEqual([])
    expect(await world.counts('mail')).toMatchObject({ delayed: 0, available: 0, discarded: 1 })
  })

  it('[ENG-09] stays recalled when the engine restarts', async () => {
    await using given = await delayedWorld()
    const { world, messageId } = given
    await world.client.recall(messageId)
    await world.restart('crash', '5 minutes')
    await world.advance('10 minutes')
    expect(await texts(world)).toEqual([])
  })

  it('[ENG-09] says so in its trace, and who did it', async () => {
    await using given = await delayedWorld()
    const { world, messageId } = given
    await world.client.recall(messageId, { name: 'ann', origin: 'test', reason: 'a typo' })
    const { state, steps } = await trace(world.log, messageId)
    expect(state).toBe('Discarded')
    expect(steps.at(-1)).toMatchObject({
      event: 'Recalled',
      reason: 'recalled',
      by: { name: 'ann', reason: 'a typo' },
    })
  })

  it('[ENG-09] is recalled once, though the answer is lost and the client asks again', async () => {
    await using given = await delayedWorld()
    const { world, messageId } = given
    world.engine.loseAnswers(2)
    const recalling = world.client.recall(messageId)
    await world.advance('1 minute')
    await recalling
    expect((await world.record()).filter(({ type }) => type === 'Recalled')).toHaveLength(1)
  })

  it('[ENG-09] leaves the others that were sent with it', async () => {
    await using world = await createWorld()
    await world.queue('mail')
    const messages = ['a', 'b', 'c'].map((body) => ({ body }))
    const { messageIds } = await world.client.sendBatch('mail', messages, { delayMs: 60_000 })
    await world.client.recall(messageIds[1]!)
    await world.advance('1 minute')
    expect(await texts(world)).toEqual(['a', 'c'])
  })
})

describe('a delayed message that is rescheduled', () => {
  it('[ENG-09] comes later, to the millisecond', async () => {
    await using given = await delayedWorld()
    const { world, messageId } = given
    const consumer = await world.consumer('mail', undefined, { batchWaitMs: 0 })
    await world.advance('9 minutes')
    await world.client.reschedule(messageId, { delayMs: 3_600_000 })
    await world.advance('2 hours')
    expect(consumer.times('reminder')).toEqual([69 * 60])
  })

  it('[ENG-09] comes earlier, also at once', async () => {
    await using given = await delayedWorld()
    const { world, messageId } = given
    const consumer = await world.consumer('mail', undefined, { batchWaitMs: 0 })
    await world.advance('1 minute')
    await world.client.reschedule(messageId, { delayMs: 0 })
    await world.advance('1 second')
    expect(consumer.times('reminder')).toEqual([60])
  })

  it('[ENG-09] comes at a moment that is named, across a restart of the engine', async () => {
    await using given = await delayedWorld()
    const { world, messageId } = given
    await world.client.reschedule(messageId, { at: new Date(Date.UTC(2026, 0, 1, 0, 30)) })
    await world.restart('drain', '1 minute')
    const consumer = await world.consumer('mail', undefined, { batchWaitMs: 0 })
    await world.advance('1 hour')
    expect(consumer.times('reminder')).toEqual([30 * 60])
  })

  it('[ENG-09] comes at its new time when the engine starts from a checkpoint', async () => {
    await using given = await delayedWorld({ bytesMin: 2_000, ageMs: day })
    const { world, messageId } = given
    await world.client.reschedule(messageId, { delayMs: 1_800_000 })
    await untilCheckpoint(world.client)
    await world.restart('crash')
    const consumer = await world.consumer('mail', undefined, { batchWaitMs: 0 })
    await world.advance('1 hour')
    expect(consumer.times('reminder')).toEqual([30 * 60])
  })

  it('[ENG-09] can be moved as far as 14 days ahead, within its retention', async () => {
    await using given = await delayedWorld()
    const { world, messageId } = given
    await expect(world.client.reschedule(messageId, { delayMs: 4 * day })).rejects.toMatchObject({
      id: 'InvalidArgument',
    })
    await world.client.queues.update('mail', { retentionMs: 14 * day })
    await world.client.reschedule(messageId, { delayMs: 14 * day - 1 })
    await expect(world.client.reschedule(messageId, { delayMs: 14 * day + 1 })).rejects.toMatchObject({
      id: 'InvalidArgument',
    })
    const moved = (await world.record()).filter(({ type }) => type === 'Rescheduled')
    expect(moved).toMatchObject([{ dueAt: Date.UTC(2026, 0, 15) - 1 }])
  })
})

describe('a message that is not delayed any more', () => {
  it.each(['recall', 'reschedule'] as const)('[ENG-09] refuses to %s, and stays as it is', async (how) => {
    await using given = await delayedWorld()
    const { world, messageId } = given
    await world.advance('10 minutes')
    const { client } = world
    const revising =
      how === 'recall' ? client.recall(messageId) : client.reschedule(messageId, { delayMs: 9 })
    await expect(revising).rejects.toMatchObject({ id: 'NotDelayed', retryable: false })
    expect(await texts(world)).toEqual(['reminder'])
  })

  it('[ENG-09] is distinguished from one that never existed', async () => {
    await using given = await delayedWorld()
    const { world, messageId } = given
    for (const wrong of [messageId.replace(/.$/, 'z'), `0${messageId}`])
      await expect(world.client.recall(wrong)).rejects.toMatchObject({ id: 'UnknownMessage' })
    await expect(world.client.recall('nonsense')).rejects.toMatchObject({ id: 'InvalidArgument' })
  })
})
