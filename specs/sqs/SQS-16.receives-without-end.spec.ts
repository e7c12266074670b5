import type { QueueSettings } from '@kiroku/client'
import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

/** A queue without a redrive policy. */
const endless: QueueSettings = { retriesMax: 'unlimited', exhaustion: 'onNextReceive', leaseMs: 1_000 }
const dayMs = 86_400_000

it('[SQS-16] without a redrive policy a message is received until its retention ends, however often that is', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { ...endless, leaseMinMs: 0, retentionMs: 4 * dayMs })
  await world.send('jobs', 'poison')

  // More often than a redrive policy can say, and after a crash
  const times = 1_100
  for (let attempt = 1; attempt <= times; attempt++) {
    const [message] = await world.receive('jobs', { leaseMs: 0 })
    if (message?.attempt !== attempt) throw new Error(`attempt ${message?.attempt}, not ${attempt}`)
  }
  await world.engine.stop('crash')
  await world.engine.start()
  expect(await world.receive('jobs')).toMatchObject([{ attempt: times + 1 }])

  await world.advance('4 days')
  expect(await world.receive('jobs')).toEqual([])
  expect(await world.counts('jobs')).toMatchObject({ discarded: 1, available: 0 })
})

it('[SQS-16] a visibility timeout of 0 counts a receive and leaves the message available', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { ...endless, leaseMinMs: 0 })
  await world.send('jobs', 'x')
  for (const attempt of [1, 2, 3]) {
    expect(await world.receive('jobs', { leaseMs: 0 })).toMatchObject([{ attempt }])
    expect(await world.counts('jobs')).toMatchObject({ available: 1, inflight: 0 })
  }

  // A receive that waits gets it as soon as another one had it
  const [first, second] = await Promise.all([
    world.receive('jobs', { leaseMs: 0, waitMs: 20_000 }),
    world.receive('jobs', { leaseMs: 0, waitMs: 20_000 }),
  ])
  expect([first, second]).toMatchObject([[{ attempt: 4 }], [{ attempt: 5 }]])

  // And it can still be deleted
  expect(await world.client.ack(second[0]!.receipt)).toEqual([{ receipt: second[0]!.receipt }])
  expect(await world.receive('jobs')).toEqual([])
})

it('[SQS-16] 0 may be the default of a queue, keeps the order of a group, and counts towards its redrive policy', async () => {
  await using world = await createWorld()
  await world.queue('jobs.fifo', {
    groups: 'ordered',
    leaseMs: 0,
    leaseMinMs: 0,
    retriesMax: 1,
    exhaustion: 'onNextReceive',
    deadLetter: 'dead',
  })
  for (const body of ['1', '2', '3']) await world.send('jobs.fifo', body, { group: 'g' })
  const texts = async () => (await world.receive('jobs.fifo', { max: 10 })).map((message) => message.text())
  expect(await texts()).toEqual(['1', '2', '3'])
  expect(await texts()).toEqual(['1', '2', '3'])
  expect(await texts()).toEqual([])
  expect(await world.counts('jobs.fifo')).toMatchObject({ deadLettered: 3 })
})

it('[SQS-16] an extension to 0 ends the lease at once, and the attempt counts', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { ...endless, leaseMinMs: 0, leaseMs: 30_000 })
  await world.send('jobs', 'x')
  const [message] = await world.receive('jobs')
  await world.client.extend(message!.receipt, 0)
  expect(await world.receive('jobs')).toMatchObject([{ attempt: 2 }])
})

it('[SQS-16] other queues ask for a lease of at least 1 ms', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  await world.send('jobs', 'x')
  await expect(world.receive('jobs', { leaseMs: 0 })).rejects.toMatchObject({ id: 'LeaseTooShort' })
  expect(await world.counts('jobs')).toMatchObject({ available: 1 })
})
