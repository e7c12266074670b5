import { expect, it } from 'vitest'
import type { QueueSettings } from '@kiroku/client'
import { createWorld } from '../harness/index.ts'

/** A redrive policy with a maxReceiveCount of 3. */
const settings: QueueSettings = {
  leaseMs: 30_000,
  exhaustion: 'onNextReceive',
  retriesMax: 2,
  deadLetter: 'jobs-dlq',
}

it('[SQS-07] a message moves to the DLQ when its receive count would exceed the given number', async () => {
  // Given a message that was received three times and never deleted
  await using world = await createWorld()
  await world.queue('jobs', settings)
  const { messageId } = await world.client.send('jobs', 'poison')
  for (const attempt of [1, 2, 3]) {
    expect(await world.receive('jobs')).toMatchObject([{ attempt }])
    await world.advance('30 seconds')
  }

  // Then it stays in its queue, however long, until the next receive
  await world.advance('1 hour')
  expect(await world.counts('jobs')).toMatchObject({ available: 1, deadLettered: 0 })

  // Which does not get it any more, but finds the next message
  await world.send('jobs', 'sound')
  expect((await world.receive('jobs', { max: 10 })).map((message) => message.text())).toEqual(['sound'])
  expect(await world.counts('jobs')).toMatchObject({ deadLettered: 1 })
  const [dead] = await world.receive('jobs-dlq')
  expect(dead).toMatchObject({ id: messageId, lineage: { queue: 'jobs', attempts: 3, cause: 'nextReceive' } })
})

it('[SQS-07] without a redrive policy it is received again and again until its retention ends', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 1_000, exhaustion: 'onNextReceive', retriesMax: 1_000 })
  await world.send('jobs', 'x')
  for (let attempt = 1; attempt <= 50; attempt++) {
    expect(await world.receive('jobs')).toMatchObject([{ attempt }])
    await world.advance('1 second')
  }
  await world.advance('4 days')
  expect(await world.receive('jobs')).toEqual([])
})
