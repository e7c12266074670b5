import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

/** When a message is received again, in seconds, by a consumer that always waits for it. */
const nextReceive = async (world: World): Promise<number> => {
  const [message] = await world.receive('orders', { waitMs: 60_000 })
  expect(message).toMatchObject({ attempt: 2 })
  return world.seconds
}

it.each([
  [30, 10, 20],
  [20, 6, 14],
  [20, 19, 1],
])(
  '[RMQ-10] with an InvisibleDuration of %i s, a failure after %i s is retried %i s later',
  async (invisible, processing, interval) => {
    // Given a simple consumer that fails silently
    await using world = await createWorld()
    await world.queue('orders', { retry: { kind: 'fixed', delayMs: 3_600_000 } })
    await world.send('orders', 'x')
    await world.receive('orders', { leaseMs: invisible * 1_000 })
    await world.advance(`${processing} seconds`)
    const failed = world.seconds
    const again = nextReceive(world)
    await world.advance('1 minute')
    expect((await again) - failed).toBe(interval)
  },
)

it('[RMQ-10] after a timeout the interval is 0', async () => {
  // Given work that takes longer than the InvisibleDuration
  await using world = await createWorld()
  await world.queue('orders')
  await world.send('orders', 'x')
  await world.receive('orders', { leaseMs: 30_000 })
  const other = nextReceive(world)
  await world.advance('30 seconds')
  expect(await other).toBe(30)
})

it('[RMQ-10] each receive counts its own, from itself', async () => {
  await using world = await createWorld()
  await world.queue('orders')
  await world.send('orders', 'x')
  for (const seconds of [10, 30, 12]) {
    expect(await world.receive('orders', { leaseMs: seconds * 1_000 })).toHaveLength(1)
    await world.advance(`${seconds - 1} seconds`)
    expect(await world.receive('orders')).toEqual([])
    await world.advance('1 second')
  }
  expect(await world.receive('orders')).toMatchObject([{ attempt: 4 }])
})
