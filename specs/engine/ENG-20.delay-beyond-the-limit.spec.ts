import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

/** Pauses on record in ms, and why they were made. */
const retriesOf = async (world: World) =>
  (await world.record()).flatMap((event) =>
    event.type === 'RetryScheduled' ? [{ pauseMs: event.dueAt - event.at, error: event.error }] : [],
  )

it('[ENG-20] a back-off of 30 ** attempts is capped at a day at the fourth attempt, and fails nothing else', async () => {
  // Given the back-off of the documents, which outgrows the longest delay at the fourth attempt
  await using world = await createWorld()
  const consumers = [{ queue: 'mail', retriesMax: 10 }]
  const worker = await world.worker({ consumers }, (batch) => {
    for (const message of batch.messages) {
      if (message.attempts < 4) message.retry({ delaySeconds: 0 })
      else if (message.body !== 'fine')
        message.retry({ delaySeconds: 30 ** message.attempts, reason: 'HTTP 503' })
    }
  })

  // When two messages get there, in one batch with one that is fine
  await world.sendBatch('mail', ['x', 'y', 'fine'])
  await world.advance('20 seconds')

  // Then both wait for a day, and the third is done
  expect(worker.batches.at(-1)).toMatchObject({ bodies: ['x', 'y', 'fine'], attempts: [4, 4, 4] })
  expect(await world.counts('mail')).toMatchObject({ waitingRetry: 2, committed: 1 })

  // And the record says so next to the given reason, and the client once
  const note = 'a delay of 225 h was capped at the longest, 1 d'
  expect((await retriesOf(world)).at(-1)).toEqual({ pauseMs: 86_400_000, error: `HTTP 503; ${note}` })
  expect(world.events).toEqual([
    {
      type: 'delayHeld',
      queue: 'mail',
      messageId: expect.any(String),
      delayMs: 810_000_000,
      heldToMs: 86_400_000,
    },
  ])
})

it("[ENG-20] a retry of the native client is capped at the engine's longest delay", async () => {
  await using world = await createWorld()
  await world.queue('mail')
  const consumer = await world.consumer('mail', (batch) => batch.retryAll({ delayMs: Infinity }))
  await world.send('mail', 'x')
  await world.advance('1 second')
  expect(consumer.sizes).toEqual([1])
  expect(await retriesOf(world)).toEqual([
    {
      pauseMs: 14 * 86_400_000,
      error: 'a delay of Infinity ms was capped at the longest, 14 d',
    },
  ])
})
