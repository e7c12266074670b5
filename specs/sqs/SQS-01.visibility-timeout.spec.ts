import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it("[SQS-01] a received message is hidden for the queue's visibility timeout, and returns if not deleted", async () => {
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 30_000 })
  await world.send('jobs', 'x')
  expect(await world.receive('jobs')).toMatchObject([{ attempt: 1 }])
  await world.advance('29999 millis')
  expect(await world.receive('jobs')).toEqual([])
  await world.advance('1 millis')
  expect(await world.receive('jobs')).toMatchObject([{ attempt: 2 }])
})

it("[SQS-01] a receive's own visibility timeout beats the queue's, for this receive only", async () => {
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 30_000 })
  await world.send('jobs', 'x')
  expect(await world.receive('jobs', { leaseMs: 5_000 })).toHaveLength(1)
  await world.advance('5 seconds')
  expect(await world.receive('jobs')).toHaveLength(1)
  await world.advance('29 seconds')
  expect(await world.receive('jobs')).toEqual([])
})

it('[SQS-01] a deleted message does not return', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 30_000 })
  await world.send('jobs', 'x')
  const [message] = await world.receive('jobs')
  await world.advance('29 seconds')
  expect(await world.client.ack(message!.receipt)).toEqual([{ receipt: message!.receipt }])
  await world.advance('1 day')
  expect(await world.receive('jobs')).toEqual([])
  expect(await world.counts('jobs')).toMatchObject({ committed: 1, discarded: 0 })
})
