import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const baseDelaySeconds = 30

it('[CF-15] attempts starts at 1 and lets a consumer back off exponentially', async () => {
  // Given the handler of the documents: the delay is 30 to the power of the attempts
  await using world = await createWorld()
  const worker = await world.worker({ consumers: [{ queue: 'mail', batchWaitMs: 0 }] }, (batch) => {
    for (const message of batch.messages)
      message.retry({ delaySeconds: baseDelaySeconds ** message.attempts })
  })

  await world.send('mail', 'x')
  await world.advance('1 day')

  // Then it waits 30 s, 15 min and 7.5 h; the fourth attempt is the last
  expect(worker.of('x')).toEqual([
    { at: 0, attempt: 1 },
    { at: 30, attempt: 2 },
    { at: 30 + 900, attempt: 3 },
    { at: 30 + 900 + 27_000, attempt: 4 },
  ])
})
