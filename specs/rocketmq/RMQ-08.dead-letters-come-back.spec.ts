import { trace } from '@kiroku/audit'
import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[RMQ-08] exhausted messages go to the dead-letter queue and can be brought back', async () => {
  // Given a consumer that fails until it is repaired
  await using world = await createWorld()
  let repaired = false
  await world.queue('orders', { retriesMax: 2, batchWaitMs: 0, deadLetter: 'orders-dead' })
  const consumer = await world.consumer('orders', () => {
    if (!repaired) throw new Error('the shop is closed')
  })
  const { messageId } = await world.client.send('orders', { order: 7 }, { attributes: { tenant: 'acme' } })
  await world.advance('1 second')
  expect(await world.counts('orders')).toMatchObject({ deadLettered: 1 })

  // Then the dead letter is the same message, and says where it came from and why
  const [dead] = await world.receive('orders-dead')
  expect(dead).toMatchObject({ id: messageId, attempt: 1, attributes: { tenant: 'acme' } })
  expect(dead!.json()).toEqual({ order: 7 })
  expect(dead!.lineage).toMatchObject({ queue: 'orders', attempts: 3, error: 'the shop is closed' })

  // When it is brought back after the repair, it is consumed
  repaired = true
  await world.client.send(dead!.lineage!.queue, dead!.json<{ order: number }>(), {
    attributes: dead!.attributes,
  })
  await dead!.ack()
  await world.advance('1 second')
  expect(consumer.batches.at(-1)).toMatchObject({ bodies: [{ order: 7 }], attempts: [1] })
  expect(await world.counts('orders')).toMatchObject({ sent: 2, committed: 1, deadLettered: 1 })
  expect(await world.counts('orders-dead')).toMatchObject({ sent: 1, committed: 1 })
})

it('[RMQ-08] all of them can be brought back at once, and are the same messages', async () => {
  await using world = await createWorld()
  let repaired = false
  await world.queue('orders', { retriesMax: 2, batchWaitMs: 0, deadLetter: 'orders-dead' })
  const consumer = await world.consumer('orders', () => {
    if (!repaired) throw new Error('the shop is closed')
  })
  const { messageIds } = await world.client.sendBatch('orders', [{ body: 1 }, { body: 2 }, { body: 3 }])
  await world.advance('1 second')
  expect(await world.counts('orders-dead')).toMatchObject({ available: 3 })

  repaired = true
  await world.client.queues.redrive('orders-dead')
  await world.advance('1 second')
  expect(await world.counts('orders')).toMatchObject({ sent: 6, committed: 3, deadLettered: 3 })
  expect(consumer.batches.flatMap((batch) => batch.bodies).slice(-3)).toEqual([1, 2, 3])
  for (const id of messageIds)
    expect(await trace(world.log, id)).toMatchObject({
      queues: ['orders', 'orders-dead', 'orders'],
      state: 'Committed',
    })
})

it('[RMQ-08] a dead letter that dies again is still the same message', async () => {
  await using world = await createWorld()
  await world.queue('dead', { retriesMax: 0, deadLetter: 'buried' })
  await world.queue('orders', { retriesMax: 0, deadLetter: 'dead' })
  const { messageId } = await world.client.send('orders', 'x')
  for (const queue of ['orders', 'dead']) {
    const [message] = await world.receive(queue, { waitMs: 1_000 })
    await message!.retry({ error: `broken in ${queue}` })
    await world.time.settle()
  }
  const [buried] = await world.receive('buried')
  expect(buried!.id).toBe(messageId)
  expect(buried!.lineage).toMatchObject({ queue: 'dead', error: 'broken in dead' })
})
