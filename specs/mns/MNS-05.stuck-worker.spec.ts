import { expect, it } from 'vitest'
import type { ConsumeOptions } from '@kiroku/client'
import { createWorld } from '../harness/index.ts'

const hourMs = 3_600_000
/** The figures of the document: a timeout of 5 minutes, work that counts as stuck after 5 hours. */
const options: ConsumeOptions = { leaseMs: 300_000, messageTimeoutMs: 5 * hourMs, batchWaitMs: 0 }

it('[MNS-05] the lease of a stuck worker is let go, and another has the message within the timeout', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  await world.send('jobs', 'x')
  const stuck = await world.consumer('jobs', () => world.sleep('1000 hours'), options)
  const other = await world.consumer('jobs', () => {}, options)

  // Then it is its own for 5 hours, and another's at most 5 minutes after them
  await world.advance('5 hours')
  expect(other.batches).toEqual([])
  await world.advance('5 minutes')
  expect(stuck.of('x')).toHaveLength(1)
  expect(other.of('x')).toEqual([{ at: expect.any(Number), attempt: 2 }])
  expect(await world.counts('jobs')).toMatchObject({ committed: 1 })
  expect(world.events).toMatchObject([{ type: 'leaseAbandoned', error: { id: 'HandlerStuck' } }])
})

it('[MNS-05] the worker hears of it by the signal of its message, and may end', async () => {
  // Given work that waits for something that never comes, but listens to its signal
  await using world = await createWorld()
  await world.queue('jobs', { retry: { kind: 'fixed', delayMs: 0 } })
  await world.send('jobs', 'x')
  const reasons: string[] = []
  world.client.consumeEach(
    'jobs',
    (message) =>
      new Promise((_, reject) => {
        message.signal.addEventListener('abort', () => {
          const reason = message.signal.reason as Error
          reasons.push(`${world.seconds}: ${reason.message}`)
          reject(reason)
        })
      }),
    { ...options, messageTimeoutMs: hourMs },
  )

  // Then it fails with that reason on record, and starts over
  await world.advance('90 minutes')
  expect(reasons).toEqual([`3600: The work took longer than ${hourMs} ms`])
  const retries = (await world.record()).filter(({ type }) => type === 'RetryScheduled')
  expect(retries).toMatchObject([{ error: `The work took longer than ${hourMs} ms` }])
  expect(await world.counts('jobs')).toMatchObject({ inflight: 1 })
})

it('[MNS-05] only what is stuck is let go: later messages are counted from their own beginning', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  const consumer = await world.consumer('jobs', () => world.sleep('50 minutes'), {
    ...options,
    messageTimeoutMs: hourMs,
    concurrency: 2,
  })
  await world.send('jobs', 'a')
  await world.advance('30 minutes')
  await world.send('jobs', 'b')
  await world.advance('2 hours')
  expect([consumer.of('a'), consumer.of('b')].map((deliveries) => deliveries.length)).toEqual([1, 1])
  expect(world.events).toEqual([])
})

it('[MNS-05] what a stuck worker says at long last counts while no other consumer has the message', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  await world.send('jobs', 'x')
  await world.consumer('jobs', () => world.sleep('2 hours'), { ...options, messageTimeoutMs: hourMs })
  await world.advance('3 hours')
  expect(await world.counts('jobs')).toMatchObject({ committed: 1, redelivered: 0 })
})
