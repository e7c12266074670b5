import { expect, it } from 'vitest'
import type { ReceivedMessage } from '@kiroku/client'
import { createWorld, type World } from '../harness/index.ts'

/** A timeout of 2 s for work of 10 s: a second consumer receives the message while the first still works. */
const twoAtWork = async (
  world: World,
  lateHandles: 'accept' | 'reject',
): Promise<[first: ReceivedMessage, second: ReceivedMessage]> => {
  await world.queue('jobs', { leaseMs: 2_000, lateHandles })
  await world.send('jobs', 'x')
  const [first] = await world.receive('jobs')
  await world.advance('2 seconds')
  const [second] = await world.receive('jobs', { leaseMs: 60_000 })
  expect(second).toMatchObject({ id: first!.id, attempt: 2 })
  expect(second!.receipt).not.toBe(first!.receipt)
  await world.advance('8 seconds')
  return [first!, second!]
}

it("[SQS-03] on a standard queue the first consumer's late delete deletes, and the second's does no harm", async () => {
  await using world = await createWorld()
  const [first, second] = await twoAtWork(world, 'accept')
  await first.ack()
  expect(await world.counts('jobs')).toMatchObject({ committed: 1, inflight: 0 })
  await second.ack()
  await world.advance('1 hour')
  expect(await world.receive('jobs')).toEqual([])
  expect(await world.counts('jobs')).toMatchObject({ committed: 1, discarded: 0 })
})

it("[SQS-03] where late handles are rejected, the first's delete is an error and the second's holds", async () => {
  await using world = await createWorld()
  const [first, second] = await twoAtWork(world, 'reject')
  await expect(first.ack()).rejects.toMatchObject({ id: 'ReceiptExpired' })
  expect(await world.counts('jobs')).toMatchObject({ committed: 0, inflight: 1 })
  await second.ack()
  expect(await world.counts('jobs')).toMatchObject({ committed: 1, inflight: 0 })
})

it.each(['accept', 'reject'] as const)(
  "[SQS-03] the first's handle cannot extend, retry or release what the second works on (late handles: %s)",
  async (lateHandles) => {
    await using world = await createWorld()
    const [first, second] = await twoAtWork(world, lateHandles)
    await expect(first.extend(60_000)).rejects.toMatchObject({ id: 'ReceiptExpired' })
    await expect(first.retry()).rejects.toMatchObject({ id: 'ReceiptExpired' })
    await expect(first.release()).rejects.toMatchObject({ id: 'ReceiptExpired' })
    expect(await world.counts('jobs')).toMatchObject({ inflight: 1 })
    await second.extend(60_000)
  },
)
