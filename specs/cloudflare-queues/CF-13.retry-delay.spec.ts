import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const consumers = [{ queue: 'mail', batchWaitMs: 0, retryDelayMs: 60_000 }]

it("[CF-13] a push consumer's retry_delay holds when its handler throws", async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, () => {
    throw new Error('broken')
  })
  await world.send('mail', 'x')
  await world.advance('1 hour')
  expect(worker.times('x')).toEqual([0, 60, 120, 180])
})

it("[CF-13] a push consumer's retry_delay holds for retry() and retryAll() without a delay", async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch) => {
    for (const message of batch.messages) {
      if (message.attempts > 2) continue
      if (message.body === 'one') message.retry()
      else batch.retryAll()
    }
  })
  await world.sendBatch('mail', ['one', 'other'])
  await world.advance('1 hour')
  expect(worker.times('one')).toEqual([0, 60, 120])
  expect(worker.times('other')).toEqual([0, 60, 120])
})

it("[CF-13] a pull consumer's retry_delay holds for a retry without a delay", async () => {
  await using world = await createWorld()
  await world.queue('mail', { retry: { kind: 'fixed', delayMs: 60_000 } })
  await world.send('mail', 'x')
  const [message] = await world.receive('mail')
  await message!.retry()
  await world.advance('59 seconds')
  expect(await world.receive('mail')).toEqual([])
  await world.advance('1 second')
  expect(await world.receive('mail')).toMatchObject([{ attempt: 2 }])
})
