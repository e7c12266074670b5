import { readActs, type ActFilter } from '@kiroku/audit'
import { actsOf } from '@kiroku/auditor'
import { decodeCheckpoint } from '@kiroku/engine'
import { expect, it } from 'vitest'
import { createWorld, indexOf, type World } from '../harness/index.ts'

const acts = (world: World, filter: ActFilter = {}) => readActs(world.log, filter, { decodeCheckpoint })

/** What administrators do in a day. */
const aDay = async (world: World) => {
  const { queues } = world.client
  await world.queue('mail')
  await world.sendBatch('mail', ['a', 'b', 'c'])
  await queues.update('mail', { leaseMs: 10_000, retriesMax: 5 })
  await queues.pause('mail')
  await world.advance('2 hours')
  await queues.resume('mail')
  await queues.purge('mail')
  await queues.delete('mail')
}

it('[CARD-05] every administrative act is on record with who did it, from where, and what it changed', async () => {
  await using world = await createWorld({ partitions: 2 })
  await aDay(world)
  const told = (await acts(world)).filter(({ event }) => event !== 'ClusterVersionRaised')
  expect(told.map(({ event }) => event)).toEqual([
    'QueueDeleted',
    'QueuePurged',
    'DeliveryResumed',
    'DeliveryPaused',
    'QueueConfigured',
    'QueueCreated',
  ])
  for (const act of told) {
    expect(act.queue).toBe('mail')
    expect(act.by.name).not.toBe('')
    expect(act.by.origin).not.toBe('')
  }
  expect(told[4]).toMatchObject({ after: { leaseMs: 10_000, retriesMax: 5 } })
  expect(told[3]).toMatchObject({ before: { paused: false }, after: { paused: true } })
  expect(told[1]).toMatchObject({ before: { messages: 3 }, after: { messages: 0 } })
})

it('[CARD-05] the acts of one queue, one actor or one span are listed alone', async () => {
  await using world = await createWorld({ partitions: 2 })
  await aDay(world)
  const all = await acts(world)
  const [{ by, at }] = all as [(typeof all)[number]]
  // The new log's cluster version was raised by the engine.
  const isOfEngine = ({ event }: (typeof all)[number]) => event === 'ClusterVersionRaised'
  expect(await acts(world, { actor: by.name })).toEqual(all.filter((act) => !isOfEngine(act)))
  expect(await acts(world, { actor: 'engine' })).toEqual(all.filter(isOfEngine))
  expect(await acts(world, { actor: 'nobody' })).toEqual([])
  expect(await acts(world, { queue: 'other' })).toEqual([])
  expect((await acts(world, { since: at })).map(({ event }) => event)).toEqual([
    'QueueDeleted',
    'QueuePurged',
    'DeliveryResumed',
  ])
})

it('[CARD-05] the index lists the same acts, and later ones are read from the record', async () => {
  await using world = await createWorld({ partitions: 2 })
  await aDay(world)
  const index = await indexOf(world)
  const known = {
    acts: actsOf(index.writer.database, {}),
    reached: new Map([0, 1].map((n) => [n, index.writer.reached(n)!.seq])),
  }
  expect(known.acts).toEqual(await acts(world))
  await world.queue('later')
  expect(await readActs(world.log, {}, { decodeCheckpoint, known })).toEqual(await acts(world))
})
