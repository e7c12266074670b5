import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it("[MNS-01] a crashed worker's message is visible to another after the visibility timeout", async () => {
  // Given a worker in its own process that takes a message and is gone
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 300_000 })
  await world.send('jobs', 'x')
  const worker = world.newClient('worker 1')
  const [taken] = await worker.receive('jobs')
  expect(taken!.text()).toBe('x')

  // When another asks before the timeout, it gets nothing; after it, the message
  await world.advance('299 seconds')
  expect(await world.receive('jobs')).toEqual([])
  const waiting = world.receive('jobs', { waitMs: 30_000 })
  await world.advance('1 second')
  expect(await waiting).toMatchObject([{ id: taken!.id, attempt: 2 }])
  await worker.close()
})

it('[MNS-01] finishing without an explicit deletion deletes nothing', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { leaseMs: 300_000 })
  await world.send('jobs', 'x')

  // Given a worker that did its work and closed its connection in good order, but never deleted
  const worker = world.newClient('worker 1')
  expect(await worker.receive('jobs')).toHaveLength(1)
  await worker.close()
  await world.advance('5 minutes')
  const [again] = await world.receive('jobs')
  expect(again).toMatchObject({ attempt: 2 })

  // When the next one deletes, that is the end of it
  await again!.ack()
  await world.advance('1 day')
  expect(await world.receive('jobs')).toEqual([])
  expect(await world.counts('jobs')).toMatchObject({ committed: 1 })
})
