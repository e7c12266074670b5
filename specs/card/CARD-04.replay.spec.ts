import { describe, expect, it } from 'vitest'
import { snapshot, stateHash } from '@kiroku/partition'
import { waitUntil } from '@kiroku/testkit'
import { everyState } from '../harness/everyState.ts'
import { createWorld, type World } from '../harness/index.ts'

/** A hash over everything that the partition knows, except whose ownership it is. */
const hashOf = (world: World): string =>
  stateHash({ ...snapshot(world.engine.actor(0).state), epoch: 0, node: '' })

const shown = async (world: World) =>
  (await world.client.queues.list()).map(({ name, counts, config, deliveryPaused }) => ({
    name,
    counts,
    config,
    deliveryPaused,
  }))

describe('the state after a replay equals the state before the stop', () => {
  it.each(['drain', 'crash'] as const)('[CARD-04] from the whole log, after a %s', async (how) => {
    await using world = await createWorld()
    await everyState(world)
    const before = hashOf(world)
    const queues = await shown(world)
    expect(queues.find(({ name }) => name === 'mail')?.counts).toEqual({
      delayed: 1,
      available: 2,
      inflight: 2,
      waitingRetry: 2,
      sent: 9,
      committed: 1,
      deadLettered: 1,
      discarded: 0,
      redelivered: 1,
    })

    await world.restart(how)

    expect(hashOf(world)).toBe(before)
    expect(await shown(world)).toEqual(queues)
  })

  it('[CARD-04] from a checkpoint and what stands behind it', async () => {
    // Given a partition that makes a checkpoint after every 2 KB of log
    await using world = await createWorld({ checkpoints: { bytesMin: 2_000, ageMs: 86_400_000 } })
    await everyState(world)
    await waitUntil(async () => (await world.client.partitions())[0]!.checkpointSeq > 0)
    await world.send('mail', 'behind the checkpoint')
    const before = hashOf(world)
    const queues = await shown(world)

    await world.restart('crash')

    const [partition] = await world.client.partitions()
    expect(partition!.checkpointSeq).toBeGreaterThan(0)
    expect(partition!.checkpointSeq).toBeLessThan(partition!.lastSeq)
    expect(hashOf(world)).toBe(before)
    expect(await shown(world)).toEqual(queues)
  })

  it('[CARD-04] and everything goes on where it was', async () => {
    // Given one message of each kind of waiting, with three minutes to go for each
    await using world = await createWorld()
    await world.queue('mail', { leaseMs: 180_000 })
    await world.sendBatch('mail', ['retried', 'leased'])
    const [retried] = await world.receive('mail', { max: 2 })
    await retried!.retry({ delayMs: 180_000 })
    await world.send('mail', 'delayed', { delayMs: 180_000 })

    // When the engine dies after one minute, right behind its last frame, and is away for one
    await world.advance('1 minute')
    await world.send('mail', 'the last frame')
    await world.restart('crash', '1 minute')
    const consumer = await world.consumer('mail', () => {}, { batchWaitMs: 0 })
    await world.advance('1 hour')

    // Then delay and pause end when they were to end; a lease is longer by the time without an owner
    expect(consumer.of('delayed')).toEqual([{ at: 180, attempt: 1 }])
    expect(consumer.of('retried')).toEqual([{ at: 180, attempt: 2 }])
    expect(consumer.of('leased')).toEqual([{ at: 240, attempt: 2 }])
  })
})
