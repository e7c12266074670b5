import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const hourMs = 3_600_000
const settings = { leaseMs: 120_000, leaseCapMs: 12 * hourMs, batchWaitMs: 0 }

it('[SQS-02] a heartbeat keeps the message hidden during the work', async () => {
  // Given a visibility timeout of two minutes and work of six hours
  await using world = await createWorld()
  await world.queue('jobs', settings)
  await world.send('jobs', 'x')
  const consumer = await world.consumer('jobs', () => world.sleep('6 hours'))

  // Then no other consumer ever sees the message
  const other = await world.consumer('jobs')
  await world.advance('7 hours')
  expect(consumer.of('x')).toHaveLength(1)
  expect(other.batches).toEqual([])
  expect(await world.counts('jobs')).toMatchObject({ committed: 1 })
})

it('[SQS-02] 12 hours from the receive are the end, which no heartbeat moves', async () => {
  // Given work that would take 13 hours
  await using world = await createWorld()
  await world.queue('jobs', settings)
  await world.send('jobs', 'x')
  await world.consumer('jobs', () => world.sleep('13 hours'))
  const other = await world.consumer('jobs')

  await world.advance('43199 seconds')
  expect(other.batches).toEqual([])
  await world.advance('1 second')
  expect(other.of('x')).toEqual([{ at: 12 * 3_600, attempt: 2 }])
  expect(world.events).toContainEqual(
    expect.objectContaining({ type: 'leaseLost', error: expect.objectContaining({ id: 'LeaseCapReached' }) }),
  )
})

it('[SQS-02] an extension beyond what is left of the 12 hours is an error; up to it, it holds', async () => {
  await using world = await createWorld()
  await world.queue('jobs', { ...settings, leaseMs: 12 * hourMs })
  await world.send('jobs', 'x')
  const [message] = await world.receive('jobs')
  await world.advance('11 hours')
  await expect(message!.extend(hourMs + 1)).rejects.toMatchObject({ id: 'LeaseCapReached' })
  await message!.extend(hourMs)
  await world.advance('3599 seconds')
  expect(await world.receive('jobs')).toEqual([])
  await world.advance('1 second')
  expect(await world.receive('jobs')).toHaveLength(1)
})

it('[SQS-02] an extension counts from the call, and one of it does not change the next receive', async () => {
  await using world = await createWorld()
  await world.queue('jobs', settings)
  await world.send('jobs', 'x')
  const [message] = await world.receive('jobs')
  await world.advance('60 seconds')
  await message!.extend(10_000)
  await world.advance('10 seconds')
  expect(await world.receive('jobs')).toMatchObject([{ attempt: 2 }])
  await world.advance('119 seconds')
  expect(await world.receive('jobs')).toEqual([])
})
