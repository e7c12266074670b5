import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[CF-17] messages in a DLQ without a consumer live four days from their arrival, then are deleted', async () => {
  // Given a message that died an hour after it was sent
  await using world = await createWorld()
  await world.worker(
    {
      consumers: [
        { queue: 'mail', batchWaitMs: 0, retriesMax: 1, retryDelayMs: 3_600_000, deadLetter: 'mail-dlq' },
      ],
    },
    () => {
      throw new Error('broken')
    },
  )
  await world.send('mail', 'x')
  await world.advance('1 hour')
  expect(await world.counts('mail-dlq')).toMatchObject({ available: 1 })

  // When it is not consumed for almost four days, it still exists
  await world.advance('95 hours')
  await world.advance('59 minutes')
  expect(await world.counts('mail-dlq')).toMatchObject({ available: 1, discarded: 0 })

  // And a minute later it is gone
  await world.advance('1 minute')
  expect(await world.counts('mail-dlq')).toMatchObject({ available: 0, discarded: 1 })
  expect(await world.receive('mail-dlq')).toEqual([])
})
