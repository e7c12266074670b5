import { expect, it } from 'vitest'
import type { ReceiveOptions } from '@kiroku/client'
import { createWorld } from '../harness/index.ts'

const polls: readonly ReceiveOptions[] = [
  { waitMs: 0 },
  { waitMs: 1 },
  { waitMs: 20_000 },
  { waitMs: 60_000 },
  { waitMs: 20_000, batchWaitMs: 60_000, max: 10 },
  { waitMs: 60_000, batchWaitMs: 60_000, max: 10 },
]

it.each(polls)(
  '[SQS-12] a receive with %o waits longer for its answer than the poll lasts',
  async (options) => {
    await using world = await createWorld()
    await world.queue('jobs')
    const worker = world.newProcess('worker 1')
    const polling = worker.client.receive('jobs', options)
    await world.advance('2 minutes')
    expect(await polling).toEqual([])
    const [request] = worker.requests
    const { waitMs = 0, batchWaitMs = 0 } = options
    expect(worker.times('Receive')).toHaveLength(1)
    expect(request!.timeoutMs).toBeGreaterThan(waitMs + batchWaitMs)
  },
)

it.each([5_000, 20_000, 60_000])(
  '[SQS-12] so does one that leaves the wait to its queue: %i ms',
  async (receiveWaitMs) => {
    await using world = await createWorld()
    await world.queue('jobs', { receiveWaitMs })
    const worker = world.newProcess('worker 1')
    const polling = worker.client.receive('jobs')
    await world.advance('2 minutes')
    expect(await polling).toEqual([])
    expect(worker.requests[0]!.timeoutMs).toBeGreaterThan(receiveWaitMs)
  },
)

it('[SQS-12] and every poll of a consumer', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { batchWaitMs: 60_000 })
  const worker = world.newProcess('worker 1')
  worker.client.consume('jobs', () => {})
  await world.advance('10 minutes')
  const waits = worker.requests.flatMap(({ commands: [command], timeoutMs }) =>
    command!.type === 'Receive' ? [{ pollMs: command!.waitMs! + command!.batchWaitMs!, timeoutMs }] : [],
  )
  expect(waits.length).toBeGreaterThan(10)
  expect(waits.filter(({ pollMs, timeoutMs }) => timeoutMs <= pollMs)).toEqual([])
})

it('[SQS-12] a poll repeated at another owner lasts for the remaining time, and its answer is awaited longer', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  const worker = world.newProcess('worker 1')
  const polling = worker.client.receive('jobs', { waitMs: 20_000 })
  await world.advance('12 seconds')
  await world.restart('drain')
  await world.advance('1 minute')
  expect(await polling).toEqual([])
  const [, again] = worker.requests
  expect(again).toMatchObject({ at: 12, commands: [{ waitMs: 8_000 }] })
  expect(again!.timeoutMs).toBeGreaterThan(8_000)
})
