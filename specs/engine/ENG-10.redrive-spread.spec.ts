import type { RedriveOptions } from '@kiroku/client'
import { describe, expect, it } from 'vitest'
import { createWorld, die, type World } from '../harness/index.ts'
import { bodiesIn, expectLawful, latest } from './redriveWorld.ts'

/** A dead-letter queue on four partitions: dead letters of `orders` in its home, and as many messages in each part. */
const spreadDead = async (each: number): Promise<World> => {
  const world = await createWorld({ partitions: 4 })
  await world.queue('orders', { deadLetter: 'dead', retriesMax: 0 })
  await world.queue('other')
  const spreading = world.client.queues.spread('dead', 4)
  await world.advance('1 second')
  await spreading
  for (let i = 0; i < 4 * each; i++) await world.send('dead', `${i}`)
  await die(world, 'orders', 'letter', 'no')
  await world.advance('1 second')
  const { counts, spread } = await world.client.queues.describe('dead')
  expect(counts.available).toBe(4 * each + 1)
  expect(spread!.parts.map((part) => part.counts!.available).toSorted()).toEqual([each, each, each, each + 1])
  return world
}

const redrive = async (world: World, options: RedriveOptions) => {
  const begun = world.client.queues.redrive('dead', options)
  // It may be refused while time passes.
  begun.catch(() => {})
  await world.advance('1 second')
  return begun
}

describe('[ENG-10] a dead-letter queue that is spread', () => {
  it('is redriven from all its parts to one queue, and told as one task', async () => {
    await using world = await spreadDead(5)
    const counted = await redrive(world, { to: 'other', dryRun: true })
    expect(counted).toMatchObject({ dryRun: true, state: 'completed', moved: 21 })
    expect(await redrive(world, { to: 'other' })).toMatchObject({ task: 1, left: 21 })
    await world.advance('2 seconds')
    expect(await latest(world)).toMatchObject({
      state: 'completed',
      moved: 21,
      left: 0,
      targets: [{ queue: 'other', moved: 21 }],
    })
    expect(await latest(world)).not.toHaveProperty('request')
    expect(new Set(await bodiesIn(world, 'other')).size).toBe(21)
    await expectLawful(world)
  })

  it('goes back to the origin as far as there is one, and what stays is counted by its reason over all parts', async () => {
    await using world = await spreadDead(3)
    await redrive(world, {})
    await world.advance('2 seconds')
    expect(await latest(world)).toMatchObject({ state: 'completed', moved: 1, skipped: { noOrigin: 12 } })
    expect(await bodiesIn(world, 'orders')).toEqual(['letter'])
  })

  it('shares out its limits among its parts, runs one redrive at a time, and is cancelled everywhere', async () => {
    await using world = await spreadDead(50)
    const begun = await redrive(world, { to: 'other', rateMax: 8, messagesMax: 190 })
    expect(begun).toMatchObject({ rateMax: 8, messagesMax: 190 })
    await expect(redrive(world, { to: 'other' })).rejects.toMatchObject({ id: 'RedriveRunning' })
    await world.advance('4 seconds')
    const ended = world.client.queues.cancelRedrive('dead')
    await world.advance('1 second')
    const { moved, state } = await ended
    expect(state).toBe('cancelled')
    // 8 a second for about 6 of them
    expect(moved).toBeGreaterThan(30)
    expect(moved).toBeLessThan(60)
    await world.advance('10 seconds')
    expect(await latest(world)).toMatchObject({ state: 'cancelled', moved })
    expect(await world.counts('dead')).toMatchObject({ available: 201 - moved })
    expect(await world.counts('other')).toMatchObject({ available: moved })
    await expect(redrive(world, { to: 'other', rateMax: 3 })).rejects.toMatchObject({ id: 'InvalidArgument' })
    await redrive(world, { to: 'other', messagesMax: 100 })
    await world.advance('2 seconds')
    expect(await latest(world)).toMatchObject({ state: 'completed', moved: 100 })
  })

  it('is moved once, whenever the engine crashes meanwhile', async () => {
    await using world = await spreadDead(50)
    await redrive(world, { to: 'other', rateMax: 40 })
    for (let crash = 0; crash < 5; crash++) {
      await world.engine.stop('crash')
      await world.engine.start()
      await world.advance('1 second')
    }
    await world.advance('10 seconds')
    expect(await latest(world)).toMatchObject({ state: 'completed' })
    expect(new Set(await bodiesIn(world, 'other')).size).toBe(201)
    expect(await world.counts('other')).toMatchObject({ sent: 201 })
    await expectLawful(world)
  })

  it('takes redriven messages as any other queue does', async () => {
    await using world = await spreadDead(2)
    const spreading = world.client.queues.spread('other', 2)
    await world.advance('1 second')
    await spreading
    await expect(redrive(world, { to: 'dead' })).rejects.toMatchObject({ id: 'InvalidArgument' })
    await redrive(world, { to: 'other' })
    await world.advance('2 seconds')
    expect(await world.counts('other')).toMatchObject({ available: 9 })
    expect(await world.counts('dead')).toMatchObject({ available: 0 })
  })
})
