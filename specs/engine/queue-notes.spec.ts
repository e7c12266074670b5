import { readActs } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { describeQueues, snapshot, stateHash } from '@kiroku/partition'
import { expect, it } from 'vitest'
import { createWorld, replay, untilCheckpoint, type World } from '../harness/index.ts'

const notesOf = async (world: World) => (await world.client.queues.describe('mail')).notes

it('[SQS-17] notes that clients change at the same time are all there, each by its name', async () => {
  await using world = await createWorld({ partitions: 2 })
  await world.queue('mail')
  const other = world.newClient('other')
  const names = Array.from({ length: 40 }, (_, i) => `n${i}`)
  await Promise.all(
    names.map((name, i) =>
      (i % 2 === 0 ? world.client : other).queues.update('mail', { notes: { [name]: `${i}` } }),
    ),
  )
  expect(await notesOf(world)).toEqual(Object.fromEntries(names.map((name, i) => [name, `${i}`])))
  await Promise.all([
    world.client.queues.update('mail', { notes: { n0: null } }),
    other.queues.update('mail', { notes: { n1: 'mine' } }),
  ])
  const { n0, n1, n2 } = (await notesOf(world)) ?? {}
  expect([n0, n1, n2]).toEqual([undefined, 'mine', '2'])
})

it('[SQS-17] notes and times outlive the engine, by a replay as by a checkpoint, and who noted what is on record', async () => {
  await using world = await createWorld({ checkpoints: { bytesMin: 2_000, ageMs: 1e9 } })
  const by = { name: 'ada', origin: 'test', reason: 'who is woken' }
  await world.client.queues.create('mail', { notes: { owner: 'shop' } })
  await world.advance('1 hour')
  await world.client.queues.update('mail', { leaseMs: 5_000, notes: { owner: 'mail', page: '' } }, by)
  await world.advance('1 hour')
  await world.send('mail', 'x')
  await world.client.queues.purge('mail')
  const { createdAt, configuredAt, purgedAt } = await world.client.queues.describe('mail')
  const hour = 3_600_000
  expect([configuredAt! - createdAt!, purgedAt! - configuredAt!]).toEqual([hour, hour])

  await untilCheckpoint(world.client)
  await world.restart('crash')
  expect(await world.client.queues.describe('mail')).toMatchObject({
    notes: { owner: 'mail', page: '' },
    createdAt,
    configuredAt,
    purgedAt,
  })
  const { state } = world.engine.actor(0)
  const replayed = await replay(world.log)
  expect(describeQueues(replayed, replayed.queues.values(), replayed.at)[0]).toMatchObject({
    createdAt,
    purgedAt,
  })
  expect(stateHash(snapshot(replayed))).toBe(stateHash(snapshot(state)))

  const acts = await readActs(world.log, { queue: 'mail', actor: 'ada' }, { decodeCheckpoint })
  const act = acts.find(({ event }) => event === 'QueueNoted')
  expect(act).toMatchObject({
    event: 'QueueNoted',
    by,
    before: { 'note owner': 'shop' },
    after: { 'note owner': 'mail', 'note page': '' },
  })
})
