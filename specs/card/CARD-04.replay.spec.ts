import { describe, expect, it } from 'vitest'
import type { Client } from '@kiroku/client'
import { snapshot, stateHash, type PartitionState } from '@kiroku/partition'
import { waitUntil } from '@kiroku/testkit'
import {
  createNatsWorld,
  createWorld,
  everyState,
  mailCounts,
  replay,
  untilCheckpoint,
  type World,
} from '../harness/index.ts'

/** A hash over everything that a partition knows, except whose ownership it is and what time it has become. */
const hashOf = (state: PartitionState): string => stateHash({ ...snapshot(state), epoch: 0, node: '', at: 0 })

const shown = async (client: Client) =>
  (await client.queues.list()).map(({ name, counts, config, deliveryPaused }) => ({
    name,
    counts,
    config,
    deliveryPaused,
  }))

const fill = async (world: World): Promise<void> => {
  await everyState(world.client, { leaseMs: 60_000, pass: () => world.advance('90 seconds') })
  await world.time.settle()
  expect(await world.counts('mail')).toEqual(mailCounts)
}

describe('the state after a replay equals the state before the stop', () => {
  it.each(['drain', 'crash'] as const)('[CARD-04] from the whole log, after a %s', async (how) => {
    await using world = await createWorld()
    await fill(world)
    const before = hashOf(world.engine.actor(0).state)
    const queues = await shown(world.client)

    await world.restart(how)

    expect(hashOf(world.engine.actor(0).state)).toBe(before)
    expect(await shown(world.client)).toEqual(queues)
  })

  it('[CARD-04] from a checkpoint and what follows it', async () => {
    // Given a partition that makes a checkpoint after every 2 KB of log
    await using world = await createWorld({ checkpoints: { bytesMin: 2_000, ageMs: 86_400_000 } })
    await fill(world)
    await untilCheckpoint(world.client)
    await world.send('mail', 'behind the checkpoint')
    const before = hashOf(world.engine.actor(0).state)
    const queues = await shown(world.client)

    await world.restart('crash')

    const [partition] = await world.client.partitions()
    expect(partition!.checkpointSeq).toBeGreaterThan(0)
    expect(partition!.checkpointSeq).toBeLessThan(partition!.lastSeq)
    expect(hashOf(world.engine.actor(0).state)).toBe(before)
    expect(await shown(world.client)).toEqual(queues)
  })

  it('[CARD-04] and everything continues where it was', async () => {
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

describe('the same on JetStream', () => {
  it.each([
    ['from the whole log', undefined],
    ['from a checkpoint', { bytesMin: 2_000, ageMs: 86_400_000 }],
  ])('[CARD-04] %s, after a drain and after a crash', async (_case, checkpoints) => {
    await using world = await createNatsWorld(checkpoints === undefined ? {} : { checkpoints })
    const { client, engine } = world
    const counts = async () => (await client.queues.describe('mail')).counts
    await everyState(client, {
      leaseMs: 300,
      pass: () => waitUntil(async () => (await counts()).waitingRetry === 2),
    })
    await waitUntil(async () => (await client.partitions())[0]!.outbox === 0)
    expect(await counts()).toEqual(mailCounts)
    if (checkpoints !== undefined) await untilCheckpoint(client)
    const queues = await shown(client)

    for (const how of ['drain', 'crash'] as const) {
      await engine.stop(how)
      await engine.start()
      // What clients see is unchanged, and the state is the one rebuilt from the stream's first record
      expect(await shown(client)).toEqual(queues)
      expect(hashOf(engine.actor(0).state)).toBe(hashOf(await replay(world.beside)))
    }
    expect((await client.partitions())[0]!.checkpointSeq > 0).toBe(checkpoints !== undefined)
  })
})
