import { expect, it } from 'vitest'
import type { ConsumeOptions } from '@kiroku/client'
import { createWorld, type ClientProcess, type World } from '../harness/index.ts'

const options: ConsumeOptions = { leaseMs: 60_000, leaseTickMs: 5_000, leaseLeftMsMin: 20_000 }

/** A worker that has handled a first message in time; what it began, and when. */
const startWorker = async (world: World): Promise<{ worker: ClientProcess; begun: string[] }> => {
  await world.queue('jobs', { batchWaitMs: 0 })
  const worker = world.newProcess('worker 1')
  const begun: string[] = []
  worker.client.consumeEach(
    'jobs',
    (message) => void begun.push(`${message.text()} at ${world.seconds}`),
    options,
  )
  await world.send('jobs', 'first')
  expect(begun).toEqual(['first at 0'])
  return { worker, begun }
}

it('[MNS-04] a message that reaches its worker with less than the least left is not begun', async () => {
  // Given a worker whose process hangs while a message is on its way to it
  await using world = await createWorld()
  const { worker, begun } = await startWorker(world)
  worker.freeze()
  await world.send('jobs', 'x')

  // When it continues with 19 s of the lease left, and another worker runs
  await world.advance('41 seconds')
  const other = await world.consumer('jobs')
  worker.thaw()
  await world.time.settle()

  // Then it gives the message back, which the other has at once and as the first attempt
  expect(begun).toEqual(['first at 0'])
  expect((await world.record()).filter(({ type }) => type === 'Released')).toHaveLength(1)
  expect(other.of('x')).toEqual([{ at: 41, attempt: 1 }])
})

it('[MNS-04] one that comes with the least is begun', async () => {
  await using world = await createWorld()
  const { worker, begun } = await startWorker(world)
  worker.freeze()
  await world.send('jobs', 'x')
  await world.advance('40 seconds')
  worker.thaw()
  await world.time.settle()
  expect(begun).toEqual(['first at 0', 'x at 40'])
  expect((await world.record()).filter(({ type }) => type === 'Released')).toEqual([])
})

it('[MNS-04] one whose lease has expired is not started, and does not affect its new holder', async () => {
  await using world = await createWorld()
  const { worker, begun } = await startWorker(world)
  worker.freeze()
  await world.send('jobs', 'x')
  const other = await world.consumer('jobs', () => world.sleep('1 hour'))
  await world.advance('90 seconds')
  worker.thaw()
  await world.advance('2 hours')
  expect(begun).toEqual(['first at 0'])
  expect(other.of('x')).toEqual([{ at: 60, attempt: 2 }])
  expect(await world.counts('jobs')).toMatchObject({ committed: 2, redelivered: 1 })
})

it('[MNS-04] after one that came too late its worker asks for the next with a pause', async () => {
  await using world = await createWorld()
  const { worker, begun } = await startWorker(world)
  worker.freeze()
  await world.send('jobs', 'x')
  await world.advance('50 seconds')
  worker.thaw()
  await world.advance('10 seconds')
  expect(worker.times('Receive')).toEqual([0, 0, 50.2, 50.2])
  expect(begun).toEqual(['first at 0', 'x at 50.2'])
})
