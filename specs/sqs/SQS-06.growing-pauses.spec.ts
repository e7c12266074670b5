import type { Client } from '@kiroku/client'
import { type Command, KirokuError } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

/** The full pauses, in seconds: each is twice the one before, up to 5 s. */
const fullPauses = [0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5]

/** Expects that moments lie as far from each other as the full pauses, of which chance takes up to a quarter. */
const expectGrowing = (times: readonly number[], leastPause = 0): void => {
  const pauses = times.slice(1).map((at, i) => at - times[i]!)
  expect(pauses.length).toBeGreaterThan(5)
  for (const [i, pause] of pauses.entries()) {
    const full = fullPauses[i] ?? 5
    expect(pause).toBeGreaterThan(Math.max(leastPause, full * 0.75) - 0.001)
    expect(pause).toBeLessThan(Math.max(leastPause, full) + 0.001)
  }
}

const calls: readonly [string, Command['type'], (client: Client) => Promise<unknown>][] = [
  ['a receive', 'Receive', (client) => client.receive('jobs')],
  ['a send', 'Enqueue', (client) => client.send('jobs', 'x')],
  ['a look at a queue', 'DescribeQueue', (client) => client.queues.describe('jobs')],
]

const faults: readonly [string, KirokuError][] = [
  ['the connection is lost', new KirokuError('NatsUnreachable', 'There is no connection to NATS')],
  ['nobody answers', new KirokuError('Unavailable', 'Nobody serves the partition')],
  ['it is throttled', new KirokuError('Busy', 'Too much is waiting', { retryAfterMs: 100 })],
]

for (const [when, fault] of faults)
  it.each(calls)(`[SQS-06] while ${when}, %s is repeated with growing pauses`, async (_, type, call) => {
    await using world = await createWorld()
    await world.queue('jobs')
    // By default a send gives up sooner.
    const worker = world.newProcess('worker 1', 60_000)
    worker.fault = fault
    const outcome = call(worker.client)
    await world.advance('20 seconds')
    expectGrowing(worker.times(type))

    // And it takes effect when that has ended
    worker.fault = undefined
    await world.advance('5 seconds')
    await outcome
  })

it('[SQS-06] a verdict is brought when the connection is back', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  await world.send('jobs', 'x')
  const worker = world.newProcess('worker 1')
  const [message] = await worker.client.receive('jobs')
  worker.fault = new KirokuError('NatsUnreachable', 'There is no connection to NATS')
  const acked = message!.ack()
  await world.advance('20 seconds')
  expectGrowing(worker.times('Ack'))
  worker.fault = undefined
  await world.advance('5 seconds')
  await acked
  expect(await world.counts('jobs')).toMatchObject({ committed: 1 })
})

it('[SQS-06] a pause that the engine asks for is the least', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  const worker = world.newProcess('worker 1')
  worker.fault = new KirokuError('Busy', 'Too much is waiting', { retryAfterMs: 1_000 })
  const received = worker.client.receive('jobs')
  await world.advance('20 seconds')
  expectGrowing(worker.times('Receive'), 1)
  worker.fault = undefined
  await world.advance('5 seconds')
  await received
})

it('[SQS-06] a success ends the growth', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  const worker = world.newProcess('worker 1')
  worker.client.consume('jobs', () => {})
  await world.time.settle()
  for (let outage = 1; outage <= 3; outage++) {
    const before = worker.requests.length
    worker.fault = new KirokuError('NatsUnreachable', 'There is no connection to NATS')
    await world.advance('1 minute')
    expectGrowing(worker.requests.slice(before).map(({ at }) => at))
    worker.fault = undefined
    await world.advance('1 minute')
  }
})

it('[SQS-06] a consumer continues for as long as it takes, and its pauses grow to 5 s at most', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { batchWaitMs: 0 })
  const worker = world.newProcess('worker 1')
  let handled = 0
  worker.client.consume('jobs', () => void handled++)
  await world.send('jobs', 'before')
  worker.fault = new KirokuError('Unavailable', 'Nobody serves the partition')
  const before = worker.requests.length
  await world.advance('1 hour')
  expectGrowing(worker.requests.slice(before).map(({ at }) => at))
  worker.fault = undefined
  await world.send('jobs', 'after')
  await world.advance('10 seconds')
  expect(handled).toBe(2)
})

it('[SQS-06] many that fail together do not come back together', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  const workers = Array.from({ length: 100 }, (_, i) => world.newProcess(`worker ${i}`))
  for (const worker of workers) worker.fault = new KirokuError('Busy', 'Too much is waiting')
  const received = workers.map(({ client }) => client.receive('jobs'))
  await world.advance('3 seconds')
  const third = workers.map((worker) => worker.times('Receive')[3]!)
  expect(new Set(third).size).toBeGreaterThan(50)
  for (const worker of workers) worker.fault = undefined
  await world.advance('5 seconds')
  await Promise.all(received)
})

it('[SQS-06] an error that no repeat can cure is reported at once', async () => {
  await using world = await createWorld()
  const worker = world.newProcess('worker 1')
  await expect(worker.client.receive('nowhere')).rejects.toMatchObject({ id: 'UnknownQueue' })
  expect(worker.times('Receive')).toEqual([0])
})
