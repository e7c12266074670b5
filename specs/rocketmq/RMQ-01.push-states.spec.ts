import { expect, it } from 'vitest'
import type { QueueSettings } from '@kiroku/client'
import { createWorld, type World } from '../harness/index.ts'

/** The one state in which the only message of the queue is now. */
const stateOf = async (world: World): Promise<string[]> => {
  const { sent, redelivered, ...states } = await world.counts('orders')
  expect(sent).toBe(1)
  expect(redelivered).toBeGreaterThanOrEqual(0)
  return Object.entries(states).flatMap(([state, count]) => (count === 1 ? [state] : []))
}

const settings: QueueSettings = { retry: { kind: 'fixed', delayMs: 10_000 }, retriesMax: 1, batchWaitMs: 0 }

/** Ready for 5 s until the consumer comes, 6 s of work that fails, 10 s of pause, 6 s of work again. */
const throughRetry = async (world: World, lastAttempt: 'succeeds' | 'fails'): Promise<void> => {
  await world.send('orders', 'x')
  await world.advance('5 seconds')
  expect(await stateOf(world)).toEqual(['available'])
  await world.consumer('orders', async (batch) => {
    await world.sleep('6 seconds')
    if (batch.messages[0]!.attempt === 1 || lastAttempt === 'fails') throw new Error('broken')
  })
  expect(await stateOf(world)).toEqual(['inflight'])
  await world.advance('6 seconds')
  expect(await stateOf(world)).toEqual(['waitingRetry'])
  await world.advance('10 seconds')
  expect(await stateOf(world)).toEqual(['inflight'])
  await world.advance('6 seconds')
}

it('[RMQ-01] push consumption passes Ready, Inflight, WaitingRetry, Ready, Inflight and Commit', async () => {
  await using world = await createWorld()
  await world.queue('orders', settings)
  await throughRetry(world, 'succeeds')
  expect(await stateOf(world)).toEqual(['committed'])

  // Ready after the pause lasts no time here, but it is on record
  const passed = (await world.record()).map(({ type }) => type)
  const life = ['Enqueued', 'Delivered', 'RetryScheduled', 'RetryDue', 'Delivered', 'Acked']
  expect(passed.filter((type) => life.includes(type))).toEqual(life)
})

it('[RMQ-01] its end is DLQ when the attempts are used up and there is a dead-letter queue', async () => {
  await using world = await createWorld()
  await world.queue('orders', { ...settings, deadLetter: 'orders-dead' })
  await throughRetry(world, 'fails')
  expect(await stateOf(world)).toEqual(['deadLettered'])
})

it('[RMQ-01] its end is Discard when there is none', async () => {
  await using world = await createWorld()
  await world.queue('orders', settings)
  await throughRetry(world, 'fails')
  expect(await stateOf(world)).toEqual(['discarded'])
})
