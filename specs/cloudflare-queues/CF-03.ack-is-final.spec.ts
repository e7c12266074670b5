import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[CF-03] an acked message never comes again, even when the handler throws afterwards', async () => {
  // Given a handler that acknowledges the first message and then breaks
  await using world = await createWorld()
  const worker = await world.worker({ consumers: [{ queue: 'mail', batchWaitMs: 0 }] }, (batch) => {
    batch.messages.find((message) => message.body === 'acked')?.ack()
    throw new Error('broken')
  })

  // When a batch has been through all its attempts
  await world.sendBatch('mail', ['acked', 'b', 'c'])
  await world.advance('1 hour')

  // Then only the others were delivered again
  expect(worker.of('acked')).toEqual([{ at: 0, attempt: 1 }])
  expect(worker.of('b')).toHaveLength(4)
  expect(worker.of('c')).toHaveLength(4)
  expect(await world.counts('mail')).toMatchObject({ committed: 1, discarded: 2 })
})

it('[CF-03] an acked message never comes again, even when others of its batch are retried', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers: [{ queue: 'mail', batchWaitMs: 0 }] }, (batch) => {
    for (const message of batch.messages) {
      if (message.body === 'acked') message.ack()
      else message.retry()
    }
  })
  await world.sendBatch('mail', ['a', 'acked', 'c'])
  await world.advance('1 hour')
  expect(worker.of('acked')).toHaveLength(1)
  expect(worker.of('a')).toHaveLength(4)
})

it('[CF-03] an ack is stored while the handler still runs', async () => {
  // Given a handler that acknowledges one message and then works on for a minute
  await using world = await createWorld()
  await world.worker({ consumers: [{ queue: 'mail', batchWaitMs: 0 }] }, async (batch) => {
    batch.messages[0]!.ack()
    await world.sleep('1 minute')
  })

  // When the engine dies in the middle of that minute
  await world.sendBatch('mail', ['acked', 'open'])
  await world.advance('30 seconds')
  await world.restart('crash')

  // Then the acknowledgement is on record, and the other message is still at work
  expect(await world.counts('mail')).toMatchObject({ committed: 1, inflight: 1, available: 0 })
})
