import { expect, it } from 'vitest'
import type { ConsumeOptions } from '@kiroku/client'
import { createWorld } from '../harness/index.ts'

const refused: readonly ConsumeOptions[] = [
  { leaseTickMs: 20_000, leaseLeftMsMin: 10_000 },
  { leaseTickMs: 29_000, leaseLeftMsMin: 29_000 },
  { leaseTickMs: 30_000 },
  { leaseLeftMsMin: 30_000 },
  { leaseTickMs: 0 },
  { leaseLeftMsMin: -1 },
  { messageTimeoutMs: 29_999 },
]

it.each(refused)(
  "[MNS-03] with a queue's timeout of 30 s, %o ends the consumer before it begins",
  async (options) => {
    await using world = await createWorld()
    await world.queue('jobs', { leaseMs: 30_000, batchWaitMs: 0 })
    await world.send('jobs', 'x')
    const consumer = await world.consumer('jobs', () => {}, options)
    await world.advance('1 hour')
    expect(consumer.batches).toEqual([])
    expect((await world.record()).map(({ type }) => type)).not.toContain('Delivered')
    await expect(consumer.closed).rejects.toMatchObject({ id: 'InvalidArgument' })
  },
)

it.each(refused)('[MNS-03] with its own timeout of 30 s, %o is refused at once', async (options) => {
  await using world = await createWorld()
  await world.queue('jobs')
  expect(() => world.client.consume('jobs', () => {}, { leaseMs: 30_000, ...options })).toThrow(
    expect.objectContaining({ id: 'InvalidArgument' }),
  )
})

it('[MNS-03] a timeout that is longer than both together by the least is accepted, and keeps the lease', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 30_001, batchWaitMs: 0 })
  await world.send('jobs', 'x')
  const options = { leaseTickMs: 20_000, leaseLeftMsMin: 10_000 }
  const consumer = await world.consumer('jobs', () => world.sleep('1 hour'), options)
  const other = await world.consumer('jobs')
  await world.advance('2 hours')
  expect(consumer.of('x')).toHaveLength(1)
  expect(other.batches).toEqual([])
  expect(await world.counts('jobs')).toMatchObject({ committed: 1 })
})
