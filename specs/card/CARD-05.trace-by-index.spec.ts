import { trace, type OnProgress } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { expect, it } from 'vitest'
import { createWorld, indexOf } from '../harness/index.ts'

it('[CARD-05] the index says where to look, and the trace is the same, including what came later', async () => {
  await using world = await createWorld({ partitions: 3 })
  await world.queue('dead')
  await world.queue('mail', { retriesMax: 1, deadLetter: 'dead' })
  for (let i = 0; i < 20; i++)
    await world.sendBatch(
      'mail',
      Array.from({ length: 30 }, (_, n) => ({ i, n })),
    )
  const { messageId } = await world.client.send('mail', 'the one')
  for (let left = 601; left > 0;) {
    const messages = await world.receive('mail', { max: 100 })
    left -= messages.length
    for (const message of messages)
      if (message.id !== messageId) await message.ack()
      else await message.retry({ error: 'first' })
  }
  const index = await indexOf(world)
  const [again] = await world.receive('mail')
  await again!.retry({ error: 'second' })
  await world.advance('1 second')
  const [dead] = await world.receive('dead')
  await dead!.ack()

  let looked = 0
  const onProgress: OnProgress = () => void looked++
  const scanned = await trace(world.log, messageId, { decodeCheckpoint, onProgress })
  expect(looked).toBeGreaterThan(0)
  looked = 0
  const found = await trace(world.log, messageId, { decodeCheckpoint, onProgress, index: index.forTraces })
  expect(looked).toBe(0)
  expect(found).toEqual(scanned)
  expect(found.steps.at(-1)).toMatchObject({ queue: 'dead', state: 'Committed' })
})
