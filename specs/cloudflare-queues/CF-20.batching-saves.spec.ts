import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

const messages = Array.from({ length: 1_000 }, (_, i) => i)

/** Sends to the log since it was made: each is one write. */
const appends = async (world: World): Promise<number> =>
  new Set((await world.record()).map(({ seq }) => seq)).size

/** Works through 1,000 messages in batches of a size; what that took. */
const workThrough = async (batchMessages: number) => {
  await using world = await createWorld()
  const database: number[][] = []
  const worker = await world.worker(
    { consumers: [{ queue: 'mail', batchMessages, concurrency: 1 }] },
    (batch) => {
      database.push(batch.messages.map((message) => message.body as number))
    },
  )
  const before = await appends(world)
  await world.sendBatch('mail', messages)
  await world.advance('1 minute')
  expect(database.flat()).toEqual(messages)
  return {
    invocations: worker.batches.length,
    databaseWrites: database.length,
    appends: (await appends(world)) - before,
  }
}

it('[CF-20] larger batches lower the number of handler invocations and of writes', async () => {
  const [one, ten, hundred] = [await workThrough(1), await workThrough(10), await workThrough(100)]
  expect([one, ten, hundred].map(({ invocations }) => invocations)).toEqual([1_000, 100, 10])
  expect([one, ten, hundred].map(({ databaseWrites }) => databaseWrites)).toEqual([1_000, 100, 10])

  // And our own writes: a delivery and its acknowledgement are one event each, whatever their number of messages
  expect(ten!.appends).toBeLessThan(one!.appends / 5)
  expect(hundred!.appends).toBeLessThan(ten!.appends / 5)
})

it('[CF-20] a batch that is sent as one is written as one', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  const before = await appends(world)
  await world.sendBatch('mail', messages.slice(0, 100))
  expect((await appends(world)) - before).toBe(1)
  for (const body of messages.slice(0, 100)) await world.send('mail', body)
  expect((await appends(world)) - before).toBe(101)
})

it('[CF-20] messages that come one by one are spread over few invocations by the time of a batch', async () => {
  // Given one message per second, and a worker that waits for 20 s or 100 messages
  await using world = await createWorld()
  const worker = await world.worker({
    consumers: [{ queue: 'mail', batchMessages: 100, batchWaitMs: 20_000 }],
  })
  for (let i = 0; i < 120; i++) {
    await world.send('mail', i)
    await world.advance('1 second')
  }
  await world.advance('1 minute')
  expect(worker.sizes.reduce((sum, size) => sum + size, 0)).toBe(120)
  expect(worker.batches.length).toBeLessThanOrEqual(6)
})
