import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[CF-14] the delay of a send beats the delay of its queue', async () => {
  // Given a queue that delays by a minute
  await using world = await createWorld()
  const worker = await world.worker({
    consumers: [{ queue: 'mail', batchWaitMs: 0 }],
    producers: [{ binding: 'MAIL', queue: 'mail', deliveryDelayMs: 60_000 }],
  })

  await world.send('mail', 'default')
  await world.send('mail', 'none', { delayMs: 0 })
  await world.send('mail', 'shorter', { delayMs: 10_000 })
  await world.send('mail', 'longer', { delayMs: 600_000 })
  await world.sendBatch('mail', ['batch'], { delayMs: 20_000 })
  await world.client.sendBatch('mail', [{ body: 'own', delayMs: 30_000 }], { delayMs: 20_000 })
  await world.advance('1 hour')

  expect(
    Object.fromEntries(
      ['default', 'none', 'shorter', 'longer', 'batch', 'own'].map((body) => [body, worker.times(body)]),
    ),
  ).toEqual({ default: [60], none: [0], shorter: [10], longer: [600], batch: [20], own: [30] })
})

it('[CF-14] the delay of a retry beats the delay of its consumer', async () => {
  // Given a consumer that retries after a minute
  await using world = await createWorld()
  const worker = await world.worker(
    { consumers: [{ queue: 'mail', batchWaitMs: 0, retryDelayMs: 60_000 }] },
    (batch) => {
      for (const message of batch.messages) {
        if (message.attempts > 1) message.ack()
        else if (message.body === 'none') message.retry({ delaySeconds: 0 })
        else if (message.body === 'longer') message.retry({ delaySeconds: 600 })
      }
      if (batch.messages[0]!.attempts === 1) batch.retryAll({ delaySeconds: 20 })
    },
  )

  await world.sendBatch('mail', ['none', 'longer', 'batch'])
  await world.advance('1 hour')

  // Then the message beats the batch, and both beat the consumer
  expect(worker.times('none')).toEqual([0, 0])
  expect(worker.times('longer')).toEqual([0, 600])
  expect(worker.times('batch')).toEqual([0, 20])
})
