import { trace } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

const tell = (world: World, id: string) => trace(world.log, id, { decodeCheckpoint })

/** A message fails twice, becomes a dead letter on another partition, is redriven, and is handled in the end. */
const lineage = async (world: World) => {
  await world.queue('dead')
  await world.queue('mail', { retriesMax: 1, deadLetter: 'dead', retry: { kind: 'fixed', delayMs: 10_000 } })
  const { messageId } = await world.client.send('mail', 'x')
  await world.advance('5 seconds')
  for (let attempt = 1; attempt <= 2; attempt++) {
    const [message] = await world.receive('mail')
    await world.advance('2 seconds')
    await message!.retry({ error: `broken ${attempt}` })
    await world.advance('10 seconds')
  }
  const [dead] = await world.receive('dead')
  await dead!.release()
  await world.client.queues.redrive('dead')
  await world.advance('10 seconds')
  const [again] = await world.receive('mail')
  await again!.ack()
  return messageId
}

it('[CARD-05] the full history of one message is shown through every queue it went through', async () => {
  await using world = await createWorld({ partitions: 3 })
  const id = await lineage(world)
  await world.advance('1 day')
  const { steps, queues, state, complete } = await tell(world, id)
  expect({ queues, state, complete }).toEqual({
    queues: ['mail', 'dead', 'mail'],
    state: 'Committed',
    complete: true,
  })
  expect(steps.map(({ event }) => event)).toEqual([
    'Enqueued',
    'Delivered',
    'RetryScheduled',
    'RetryDue',
    'Delivered',
    'DeadLettered',
    'ForwardReceived',
    'Delivered',
    'Released',
    'Redriven',
    'ForwardReceived',
    'Delivered',
    'Acked',
  ])
})

it('[CARD-05] with how long each delivery was waited for, and how long the work took', async () => {
  await using world = await createWorld({ partitions: 3 })
  const { attempts } = await tell(world, await lineage(world))
  expect(attempts).toMatchObject([
    { attempt: 1, waitMs: 5_000, ms: 2_000, outcome: 'RetryScheduled', error: 'broken 1' },
    { attempt: 2, waitMs: 0, ms: 2_000, outcome: 'DeadLettered', error: 'broken 2' },
    { attempt: 1, queue: 'dead', outcome: 'Released' },
    { attempt: 1, queue: 'mail', outcome: 'Acked' },
  ])
})

it('[CARD-05] whichever id of its lineage is given', async () => {
  await using world = await createWorld({ partitions: 3 })
  const id = await lineage(world)
  const whole = await tell(world, id)
  const places = new Map(whole.steps.map((s) => [`${s.partition}/${s.queue}/${s.number}`, s]))
  expect(places.size).toBe(3)
  const { queues } = world.client
  const descriptions = await Promise.all(['mail', 'dead'].map((name) => queues.describe(name)))
  for (const { partition, queue, number } of places.values()) {
    const place = descriptions.find((d) => d.name === queue)!
    const own = [id.split('-')[0], partition, place.queue, number].map((part, i) =>
      i === 0 ? part : Number(part).toString(36),
    )
    expect(await tell(world, own.join('-'))).toEqual(whole)
  }
})
