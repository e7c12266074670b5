import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const minuteMs = 60_000

it.each(['1 second', '299 seconds', '5 minutes', '301 seconds', '1 hour', '11 hours'] as const)(
  '[MNS-02] with a timeout of 5 minutes, work of %s keeps its lease',
  async (length) => {
    await using world = await createWorld()
    await world.queue('jobs', { leaseMs: 5 * minuteMs, batchWaitMs: 0 })
    await world.send('jobs', 'x')
    const working = await world.consumer('jobs', () => world.sleep(length))
    const other = await world.consumer('jobs')
    await world.advance('12 hours')
    expect(working.of('x')).toEqual([{ at: 0, attempt: 1 }])
    expect(other.batches).toEqual([])
    expect(await world.counts('jobs')).toMatchObject({ committed: 1, redelivered: 0 })
    expect(world.events).toEqual([])
  },
)

it('[MNS-02] after a crash in the middle of long work the message is back within the timeout', async () => {
  // Given a worker that has worked for an hour and dies at a moment that has nothing to do with its renewals
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 5 * minuteMs, batchWaitMs: 0 })
  const worker = world.newProcess('worker 1')
  worker.client.consume('jobs', () => world.sleep('3 hours'))
  await world.send('jobs', 'x')
  await world.advance('3633 seconds')
  worker.crash()

  // Then another has it at most 5 minutes later, and not before the lease was over
  const other = await world.consumer('jobs')
  await world.advance('1 hour')
  const [{ at, attempt }] = other.of('x') as [{ at: number; attempt: number }]
  expect(attempt).toBe(2)
  expect(at).toBeGreaterThan(3_633)
  expect(at).toBeLessThanOrEqual(3_633 + 300)
})

it('[MNS-02] work outlasts an engine that is away for longer than the timeout', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 5 * minuteMs, batchWaitMs: 0 })
  await world.send('jobs', 'x')
  const working = await world.consumer('jobs', () => world.sleep('1 hour'))
  await world.advance('10 minutes')
  await world.restart('crash', '20 minutes')
  const other = await world.consumer('jobs')
  await world.advance('2 hours')
  expect(working.of('x')).toHaveLength(1)
  expect(other.batches).toEqual([])
  expect(await world.counts('jobs')).toMatchObject({ committed: 1, redelivered: 0 })

  // And the handler could know that it was unknown whether the lease was still its own
  expect(world.events).toContainEqual(
    expect.objectContaining({ type: 'leaseLost', error: expect.objectContaining({ id: 'LeaseExpired' }) }),
  )
})

it('[MNS-02] of a batch, what is done is let go and the rest is kept', async () => {
  // Given a batch of three of which each takes an hour
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 5 * minuteMs, batchWaitMs: 0 })
  await world.sendBatch('jobs', ['a', 'b', 'c'])
  await world.consumer('jobs', async ({ messages }) => {
    for (const message of messages) {
      await world.sleep('1 hour')
      message.ack()
    }
  })
  const other = await world.consumer('jobs')
  await world.advance('90 minutes')
  expect(await world.counts('jobs')).toMatchObject({ committed: 1, inflight: 2 })
  await world.advance('2 hours')
  expect(await world.counts('jobs')).toMatchObject({ committed: 3, redelivered: 0 })
  expect(other.batches).toEqual([])
})

it('[MNS-02] a handler hears by its signal that its message is gone, and the others work on', async () => {
  // Given two messages in two queues, one of which is purged while they are worked on
  await using world = await createWorld()
  const heard: { at: number; reason: unknown }[] = []
  for (const queue of ['kept', 'purged']) {
    await world.queue(queue, { leaseMs: 5 * minuteMs, batchWaitMs: 0 })
    await world.send(queue, queue)
    world.client.consumeEach(queue, async (message) => {
      message.signal.addEventListener('abort', () =>
        heard.push({ at: world.seconds, reason: message.signal.reason }),
      )
      await world.sleep('1 hour')
    })
  }
  await world.advance('10 minutes')
  await world.client.queues.purge('purged')
  await world.advance('2 hours')
  expect(heard).toEqual([
    { at: expect.any(Number), reason: expect.objectContaining({ id: 'UnknownReceipt' }) },
  ])
  expect(heard[0]!.at).toBeLessThanOrEqual(15 * 60)
  expect(await world.counts('kept')).toMatchObject({ committed: 1 })
})
