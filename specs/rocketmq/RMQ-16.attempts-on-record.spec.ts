import { expect, it } from 'vitest'
import { trace } from '@kiroku/audit'
import type { QueueSettings } from '@kiroku/client'
import { createWorld, type World } from '../harness/index.ts'

const settings: QueueSettings = { retry: { kind: 'fixed', delayMs: 10_000 }, leaseMs: 60_000, batchWaitMs: 0 }

/** Every end of an attempt that was no success, as the record has it. */
const failures = async (world: World, messageId: string) => {
  const { steps } = await trace(world.log, messageId)
  const [begin] = steps
  return steps
    .filter(({ event }) => ['RetryScheduled', 'LeaseExpired', 'DeadLettered', 'Discarded'].includes(event))
    .map(({ attempt, event, at, cause, error }) => ({
      attempt,
      event,
      at: (at - begin!.at) / 1_000,
      ...(cause === undefined ? {} : { cause }),
      ...(error === undefined ? {} : { error }),
    }))
}

it('[RMQ-16] each failed attempt is recorded with its own cause: an exception, a result, a timeout', async () => {
  // Given a message that fails in another way every time
  await using world = await createWorld()
  await world.queue('orders', { ...settings, retriesMax: 3, deadLetter: 'orders-dead' })
  const { messageId } = await world.client.send('orders', 'x')
  await world.consumer(
    'orders',
    async ({ messages: [message] }) => {
      if (message!.attempt === 1) throw new Error('no such table: orders')
      if (message!.attempt === 2) return message!.retry({ error: 'the bank is closed', delayMs: 20_000 })
      if (message!.attempt === 3) return world.sleep('1 day')
      return undefined
    },
    { renew: false, concurrency: 2 },
  )
  await world.advance('1 hour')
  const { state, steps } = await trace(world.log, messageId)
  expect(state).toBe('Committed')
  expect(await failures(world, messageId)).toEqual([
    { attempt: 1, event: 'RetryScheduled', at: 0, error: 'no such table: orders' },
    { attempt: 2, event: 'RetryScheduled', at: 10, error: 'the bank is closed' },
    { attempt: 3, event: 'LeaseExpired', at: 90 },
  ])

  // And who had it each time is recorded too
  const consumers = steps.filter(({ event }) => event === 'Delivered').map(({ consumer }) => consumer)
  expect(consumers).toEqual(['client', 'client', 'client', 'client'])
})

it('[RMQ-16] the last one too, by which the message became a dead letter', async () => {
  await using world = await createWorld()
  await world.queue('orders', { ...settings, retriesMax: 1, deadLetter: 'orders-dead' })
  const { messageId } = await world.client.send('orders', 'x')
  await world.consumer('orders', ({ messages: [message] }) => {
    throw new Error(`failure ${message!.attempt}`)
  })
  await world.advance('1 hour')
  expect(await failures(world, messageId)).toEqual([
    { attempt: 1, event: 'RetryScheduled', at: 0, error: 'failure 1' },
    { attempt: 2, event: 'DeadLettered', at: 10, cause: 'retry', error: 'failure 2' },
  ])

  // And what becomes of it afterwards, in the same trace
  const [dead] = await world.receive('orders-dead')
  await dead!.deadLetter().catch(() => undefined)
  await dead!.ack()
  expect(await trace(world.log, messageId)).toMatchObject({
    queues: ['orders', 'orders-dead'],
    state: 'Committed',
  })
})

it('[RMQ-16] or by which it was discarded, when it timed out', async () => {
  await using world = await createWorld()
  await world.queue('orders', { ...settings, retriesMax: 0 })
  const { messageId } = await world.client.send('orders', 'x')
  await world.consumer('orders', () => world.sleep('1 day'), { renew: false })
  await world.advance('1 hour')
  expect(await failures(world, messageId)).toEqual([
    { attempt: 1, event: 'Discarded', at: 60, cause: 'leaseExpired' },
  ])
})

it('[RMQ-16] none is forgotten over crashes of the engine, and the message itself may be gone', async () => {
  await using world = await createWorld()
  await world.queue('orders', { ...settings, retriesMax: 5 })
  const { messageId } = await world.client.send('orders', 'x')
  await world.consumer('orders', ({ messages: [message] }) => {
    throw new Error(`failure ${message!.attempt}`)
  })
  for (let i = 0; i < 5; i++) {
    await world.advance('5 seconds')
    await world.restart('crash')
    await world.advance('5 seconds')
  }
  await world.advance('1 hour')
  expect((await failures(world, messageId)).map(({ attempt, error }) => [attempt, error])).toEqual(
    [1, 2, 3, 4, 5, 6].map((attempt) => [attempt, `failure ${attempt}`]),
  )
})

it('[RMQ-16] of ordered messages too, in whose retries the whole group waits', async () => {
  // Given a group of two, of which the first fails twice
  await using world = await createWorld()
  await world.queue('orders', { ...settings, groups: 'ordered', batchMessages: 1, retriesMax: 2 })
  const ids: string[] = []
  for (const body of ['first', 'second'])
    ids.push((await world.client.send('orders', body, { group: 'customer 7' })).messageId)
  const consumer = await world.consumer('orders', ({ messages: [message] }) => {
    if (message!.text() === 'first' && message!.attempt < 3) throw new Error(`failure ${message!.attempt}`)
  })
  await world.advance('1 hour')
  expect(await failures(world, ids[0]!)).toEqual([
    { attempt: 1, event: 'RetryScheduled', at: 0, error: 'failure 1' },
    { attempt: 2, event: 'RetryScheduled', at: 10, error: 'failure 2' },
  ])
  expect(await failures(world, ids[1]!)).toEqual([])
  expect(consumer.times('second')).toEqual([20])
})
