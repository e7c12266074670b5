import { expect, it } from 'vitest'
import type { ReceivedMessage } from '@kiroku/client'
import { createWorld, type World } from '../harness/index.ts'

/** When a receive came back, in seconds, and with how many messages. */
const outcome = async (world: World, receiving: Promise<ReceivedMessage[]>) => {
  const messages = await receiving
  return { at: world.seconds, messages: messages.length }
}

it('[SQS-04] a long poll returns as soon as a message arrives', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  const poll = outcome(world, world.receive('jobs', { waitMs: 20_000 }))
  await world.advance('7 seconds')
  await world.send('jobs', 'x')
  await world.advance('1 minute')
  expect(await poll).toEqual({ at: 7, messages: 1 })
})

it('[SQS-04] it also returns when a delay, a pause or a lease of another ends', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 12_000 })
  await world.send('jobs', 'x', { delayMs: 5_000 })
  const delayed = outcome(world, world.receive('jobs', { waitMs: 20_000 }))
  await world.advance('6 seconds')
  expect(await delayed).toEqual({ at: 5, messages: 1 })

  const expired = outcome(world, world.receive('jobs', { waitMs: 20_000 }))
  await world.advance('20 seconds')
  expect(await expired).toEqual({ at: 17, messages: 1 })
})

it('[SQS-04] it returns empty after 20 seconds, not before', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  const poll = outcome(world, world.receive('jobs', { waitMs: 20_000 }))
  await world.advance('1 minute')
  expect(await poll).toEqual({ at: 20, messages: 0 })
})

it("[SQS-04] the queue's default wait holds for a receive that names none; 0 asks for none", async () => {
  await using world = await createWorld()
  await world.queue('jobs', { receiveWaitMs: 10_000 })
  const byDefault = outcome(world, world.receive('jobs'))
  const atOnce = outcome(world, world.receive('jobs', { waitMs: 0 }))
  await world.advance('1 minute')
  expect(await byDefault).toEqual({ at: 10, messages: 0 })
  expect(await atOnce).toEqual({ at: 0, messages: 0 })
})

it('[SQS-04] a receive never comes back empty while a message is available', async () => {
  // Given many consumers in a queue that is never quite empty
  await using world = await createWorld({ partitions: 4 })
  await world.queue('jobs')
  await world.sendBatch('jobs', Array(200).fill('x'))

  // Then each of 200 receives without any wait gets one
  const received = await Promise.all(Array.from({ length: 200 }, () => world.receive('jobs')))
  expect(received.map((messages) => messages.length)).toEqual(Array(200).fill(1))
  expect(await world.receive('jobs')).toEqual([])
})

it('[SQS-04] one message wakes one of the waiting receives, the others wait on', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  const polls = Array.from({ length: 3 }, () => outcome(world, world.receive('jobs', { waitMs: 20_000 })))
  await world.advance('3 seconds')
  await world.send('jobs', 'x')
  await world.advance('1 minute')
  expect(await Promise.all(polls)).toEqual([
    { at: 3, messages: 1 },
    { at: 20, messages: 0 },
    { at: 20, messages: 0 },
  ])
})
