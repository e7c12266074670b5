import { expect, it } from 'vitest'
import type { QueueBinding } from '@kiroku/worker'
import { createWorld, scrapeMetrics } from '../harness/index.ts'

it('[CF-19] backlog and delayed messages are countable, by the client and as metrics', async () => {
  // Given three messages that can be received, two that are delayed, and one that a consumer holds
  await using world = await createWorld()
  await world.queue('mail')
  await world.sendBatch('mail', ['held', 'a', 'b', 'c'])
  await world.sendBatch('mail', ['later', 'much later'], { delayMs: 60_000 })
  const [held] = await world.receive('mail')

  const metric = async (state: string): Promise<number | undefined> =>
    (await scrapeMetrics(world)).get(`kiroku_messages{queue="mail",state="${state}"}`)
  expect(await world.counts('mail')).toMatchObject({ available: 3, delayed: 2, inflight: 1, waitingRetry: 0 })
  expect([await metric('Available'), await metric('Delayed'), await metric('Inflight')]).toEqual([3, 2, 1])

  // When the held one is retried with a pause, it is counted apart from the delayed ones
  await held!.retry({ delayMs: 120_000 })
  expect(await world.counts('mail')).toMatchObject({ available: 3, delayed: 2, inflight: 0, waitingRetry: 1 })
  expect(await metric('WaitingRetry')).toBe(1)

  // And when the delay has ended, the delayed ones are backlog
  await world.advance('1 minute')
  expect(await world.counts('mail')).toMatchObject({ available: 5, delayed: 0, waitingRetry: 1 })
  expect([await metric('Available'), await metric('Delayed')]).toEqual([5, 0])
})

it('[CF-19] counting takes nothing: the messages are received afterwards, at their first attempt', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  await world.sendBatch('mail', ['a', 'b'])
  for (let looks = 0; looks < 10; looks++) await world.counts('mail')
  await scrapeMetrics(world)
  const messages = await world.receive('mail', { max: 10 })
  expect(messages.map((message) => [message.text(), message.attempt])).toEqual([
    ['a', 1],
    ['b', 1],
  ])
})

it('[CF-19] a Worker counts the backlog of a queue that it sends to', async () => {
  await using world = await createWorld()
  const seen: unknown[] = []
  await world.worker(
    {
      consumers: [{ queue: 'trigger', batchWaitMs: 0 }],
      producers: [{ binding: 'OUT', queue: 'out', deliveryDelayMs: 60_000 }],
    },
    async (_, env) => {
      const out = env['OUT'] as QueueBinding
      seen.push(await out.metrics())
      await out.sendBatch([{ body: 1 }, { body: 2 }])
      seen.push(await out.metrics())
    },
  )
  await world.send('trigger', 'go')
  await world.advance('1 second')
  expect(seen).toMatchObject([
    { backlogCount: 0 },
    { backlogCount: 2, oldestMessageTimestamp: expect.any(Date) },
  ])
})

it('[CF-19] the counts are the same after the engine was lost', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  await world.sendBatch('mail', ['a', 'b', 'c'])
  await world.send('mail', 'later', { delayMs: 3_600_000 })
  await (await world.receive('mail'))[0]!.ack()
  const before = await world.counts('mail')
  await world.restart('crash')
  expect(await world.counts('mail')).toEqual(before)
})
