import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[RMQ-02] simple consumption has no WaitingRetry: Ready again when the invisible time ends', async () => {
  // Given a queue whose push consumers would pause for a minute
  await using world = await createWorld()
  await world.queue('orders', { retry: { kind: 'fixed', delayMs: 60_000 }, retriesMax: 2 })
  await world.send('orders', 'x')

  for (const attempt of [1, 2]) {
    // When a simple consumer receives with an invisible time of 20 s and does nothing
    expect(await world.receive('orders', { leaseMs: 20_000 })).toMatchObject([{ attempt }])
    await world.advance('19 seconds')
    expect(await world.counts('orders')).toMatchObject({ inflight: 1, waitingRetry: 0 })
    expect(await world.receive('orders')).toEqual([])

    // Then the message is Ready at once when that time is up
    await world.advance('1 second')
    expect(await world.counts('orders')).toMatchObject({ available: 1, inflight: 0, waitingRetry: 0 })
  }

  // And the last attempt ends the same way, without a dead-letter queue in Discard
  expect(await world.receive('orders', { leaseMs: 20_000 })).toMatchObject([{ attempt: 3 }])
  await world.advance('20 seconds')
  expect(await world.counts('orders')).toMatchObject({ available: 0, discarded: 1 })
  const types = (await world.record()).map(({ type }) => type)
  expect(types).not.toContain('RetryDue')
})
