import { expect, it } from 'vitest'
import type { QueueSettings } from '@kiroku/client'
import { createWorld } from '../harness/index.ts'

const settings: QueueSettings = { retry: { kind: 'fixed', delayMs: 10_000 }, batchWaitMs: 0 }
const fixed = { renew: false }

it('[RMQ-13] a consumer that asks for it has 1 minute, then the message waits for its retry', async () => {
  await using world = await createWorld()
  await world.queue('orders', settings)
  await world.send('orders', 'x')
  const hanging = await world.consumer('orders', () => world.sleep('1 day'), fixed)
  await world.advance('59 seconds')
  expect(await world.counts('orders')).toMatchObject({ inflight: 1 })
  await world.advance('1 second')
  expect(await world.counts('orders')).toMatchObject({ inflight: 0, waitingRetry: 1 })

  const working = await world.consumer('orders', () => {}, fixed)
  await world.advance('1 hour')
  expect(hanging.of('x')).toEqual([{ at: 0, attempt: 1 }])
  expect(working.of('x')).toEqual([{ at: 70, attempt: 2 }])
})

it('[RMQ-13] work of 59 seconds does not time out', async () => {
  await using world = await createWorld()
  await world.queue('orders', settings)
  await world.send('orders', 'x')
  await world.consumer('orders', () => world.sleep('59 seconds'), fixed)
  await world.advance('1 hour')
  expect(await world.counts('orders')).toMatchObject({ committed: 1, redelivered: 0 })
})

it('[RMQ-13] another time can be set', async () => {
  await using world = await createWorld()
  await world.queue('orders', { ...settings, retriesMax: 0 })
  await world.send('orders', 'x')
  await world.consumer('orders', () => world.sleep('1 day'), { ...fixed, leaseMs: 900_000 })
  await world.advance('899 seconds')
  expect(await world.counts('orders')).toMatchObject({ inflight: 1 })
  await world.advance('1 second')
  expect(await world.counts('orders')).toMatchObject({ discarded: 1 })
})

it('[RMQ-13] the handler hears of it, and what it says afterwards does not undo it', async () => {
  // Given a queue that rejects late handles and a handler that succeeds too late
  await using world = await createWorld()
  await world.queue('orders', { ...settings, lateHandles: 'reject' })
  await world.send('orders', 'x')
  let reason: unknown
  world.client.consumeEach(
    'orders',
    async ({ attempt, signal }) => {
      if (attempt === 1) await world.sleep('90 seconds')
      reason ??= signal.reason
    },
    { ...fixed, batchMessages: 1 },
  )
  await world.advance('1 hour')
  expect(reason).toMatchObject({ id: 'LeaseExpired' })
  expect(world.events).toMatchObject([
    { type: 'leaseLost', error: { id: 'LeaseExpired' } },
    { type: 'settleFailed', error: { id: 'ReceiptExpired' } },
  ])

  // Then it is tried once more, and that attempt is the one that counts
  expect(await world.counts('orders')).toMatchObject({ committed: 1, redelivered: 1 })
})

it('[RMQ-13] who does not ask for it is renewed, and has no such limit', async () => {
  await using world = await createWorld()
  await world.queue('orders', { ...settings, leaseMs: 60_000 })
  await world.send('orders', 'x')
  await world.consumer('orders', () => world.sleep('1 hour'))
  await world.advance('2 hours')
  expect(await world.counts('orders')).toMatchObject({ committed: 1, redelivered: 0 })
})
