import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '@kiroku/testkit'
import { readWranglerConfig, type ConsumerConfig } from '@kiroku/worker'
import { createWorld } from '../harness/index.ts'

it('[CF-01] a batch is delivered at max_batch_size or after max_batch_timeout, whichever is first', async () => {
  // Given a worker with batches of 3 messages or 4 seconds
  await using world = await createWorld()
  const worker = await world.worker({ consumers: [{ queue: 'mail', batchMessages: 3, batchWaitMs: 4_000 }] })

  // When three messages arrive before the time is up, the size closes the batch
  await world.sendBatch('mail', ['a', 'b'])
  await world.advance('1 second')
  expect(worker.batches).toEqual([])
  await world.send('mail', 'c')
  expect(worker.batches).toEqual([{ at: 1, bodies: ['a', 'b', 'c'], attempts: [1, 1, 1] }])

  // When they are not, the time does, counted from the first message
  await world.advance('1 second')
  await world.send('mail', 'd')
  await world.advance('3 seconds')
  await world.send('mail', 'e')
  expect(worker.batches).toHaveLength(1)
  await world.advance('1 second')
  expect(worker.batches[1]).toEqual({ at: 6, bodies: ['d', 'e'], attempts: [1, 1] })
})

it('[CF-01] a worker that sets neither gets 10 messages or 5 seconds', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers: [{ queue: 'mail' }] })
  await world.sendBatch('mail', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  expect(worker.batches).toMatchObject([{ at: 0, bodies: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }])
  await world.advance('5 seconds')
  expect(worker.batches.slice(1)).toMatchObject([{ at: 5, bodies: [11, 12] }])
})

it('[CF-01] the size may be 1 to 100 and the time 0 to 60 seconds', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'wrangler.toml')
  const consumer = async (size: number, seconds: number): Promise<ConsumerConfig> => {
    const text = `[[queues.consumers]]\nqueue = "mail"\nmax_batch_size = ${size}\nmax_batch_timeout = ${seconds}\n`
    await writeFile(file, text)
    return (await readWranglerConfig(file)).consumers[0]!
  }
  expect(await consumer(1, 0)).toMatchObject({ batchMessages: 1, batchWaitMs: 0 })
  expect(await consumer(100, 60)).toMatchObject({ batchMessages: 100, batchWaitMs: 60_000 })
  await expect(consumer(0, 5)).rejects.toMatchObject({ id: 'InvalidConfig' })
  await expect(consumer(101, 5)).rejects.toMatchObject({ id: 'InvalidConfig' })
  await expect(consumer(10, 61)).rejects.toMatchObject({ id: 'InvalidConfig' })
  await expect(consumer(10, -1)).rejects.toMatchObject({ id: 'InvalidConfig' })

  // The largest of both are delivered as they are set
  await using world = await createWorld()
  const worker = await world.worker({ consumers: [await consumer(100, 60)] })
  await world.sendBatch('mail', Array(101).fill('x'))
  await world.advance('1 minute')
  expect(worker.sizes).toEqual([100, 1])
  expect(worker.batches.map(({ at }) => at)).toEqual([0, 60])
})

it('[CF-01] the time counts from the first message, however long the worker has waited for it', async () => {
  // Given a worker whose long polls last 30 seconds
  await using world = await createWorld()
  const worker = await world.worker({ consumers: [{ queue: 'mail', batchWaitMs: 5_000 }] })

  // When the first message comes 27 seconds into one
  await world.advance('27 seconds')
  await world.send('mail', 'a')
  await world.advance('4 seconds')
  await world.send('mail', 'b')
  await world.advance('1 second')

  expect(worker.batches).toEqual([{ at: 32, bodies: ['a', 'b'], attempts: [1, 1] }])
})
