import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const secondMs = 1_000
const hourMs = 3_600 * secondMs

/** A group whose simple consumers may ask for 10 seconds to 12 hours. */
const settings = { leaseMs: 30 * secondMs, leaseMinMs: 10 * secondMs }

it('[RMQ-12] a receive may ask for an InvisibleDuration of 10 s to 12 h', async () => {
  // Given two messages, received for the shortest and for the longest time
  await using world = await createWorld()
  await world.queue('jobs', settings)
  await world.sendBatch('jobs', ['short', 'long'])
  await world.receive('jobs', { leaseMs: 10 * secondMs })
  await world.receive('jobs', { leaseMs: 12 * hourMs })

  // Then each is seen again when its time is up, and not sooner
  await world.advance('9 seconds')
  expect(await world.receive('jobs')).toEqual([])
  await world.advance('1 second')
  const [short] = await world.receive('jobs')
  expect(short!.text()).toBe('short')
  await short!.ack()
  await world.advance('43189 seconds')
  expect(await world.receive('jobs')).toEqual([])
  await world.advance('1 second')
  expect((await world.receive('jobs')).map((message) => message.text())).toEqual(['long'])
})

it.each([
  [10 * secondMs - 1, 'LeaseTooShort', /9999 ms is shorter than the 10000 ms that queue "jobs" asks for/],
  [12 * hourMs + 1, 'InvalidArgument', /leaseMs must be from 0 ms to 12 h in whole ms, not 43200001 ms/],
])('[RMQ-12] outside it a receive is a clear error: %i ms', async (leaseMs, id, message) => {
  await using world = await createWorld()
  await world.queue('jobs', settings)
  await world.send('jobs', 'x')
  const refused = world.receive('jobs', { leaseMs })
  await expect(refused).rejects.toMatchObject({ id, message: expect.stringMatching(message) })
  expect(await world.counts('jobs')).toMatchObject({ available: 1, inflight: 0 })
})

it('[RMQ-12] a change while in flight keeps to the same bounds, and a refused one leaves the lease alone', async () => {
  await using world = await createWorld()
  await world.queue('jobs', settings)
  await world.send('jobs', 'x')
  const [message] = await world.receive('jobs')
  await expect(message!.extend(9_999)).rejects.toMatchObject({
    id: 'LeaseTooShort',
    help: expect.stringContaining('leaseMinMs'),
  })
  await expect(message!.extend(12 * hourMs + 1)).rejects.toMatchObject({ id: 'InvalidArgument' })
  await world.advance('29 seconds')
  await message!.extend(10 * secondMs)
  await world.advance('9 seconds')
  expect(await world.counts('jobs')).toMatchObject({ inflight: 1 })
  await world.advance('1 second')
  expect(await world.counts('jobs')).toMatchObject({ available: 1 })
})

it('[RMQ-12] a group whose own lease is outside it is refused, and nothing changes', async () => {
  await using world = await createWorld()
  await expect(world.queue('jobs', { ...settings, leaseMs: 9_999 })).rejects.toMatchObject({
    id: 'InvalidConfig',
    message: 'a leaseMs of 9999 is shorter than the leaseMinMs of 10000',
  })
  await world.queue('jobs', settings)
  await expect(world.client.queues.update('jobs', { leaseMinMs: 30_001 })).rejects.toMatchObject({
    id: 'InvalidConfig',
  })
  expect((await world.client.queues.describe('jobs')).config).toMatchObject(settings)
})
