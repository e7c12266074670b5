import { KirokuError } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { Outages } from './Outages.ts'
import { Readiness } from './Readiness.ts'

const node = (deadAfterMs = 3_000) => {
  const world = {
    nowMs: 100_000,
    beatAtMs: 100_000,
    isConnected: true,
    asked: 0,
    answer: undefined as KirokuError | undefined,
  }
  const nowMs = () => world.nowMs
  const outages = new Outages(nowMs)
  const readiness = new Readiness({
    nowMs,
    beatAtMs: () => world.beatAtMs,
    deadAfterMs,
    outages,
    isConnected: () => world.isConnected,
    ask: () => {
      world.asked++
      return Promise.resolve(world.answer)
    },
  })
  const serve = (partition: number) => {
    outages.owned(partition, { confirmedAtMs: () => world.beatAtMs, ttlMs: deadAfterMs })
    outages.changed(partition, 'Active', 'at sequence 4')
  }
  return { world, outages, readiness, serve }
}

it('a recent heartbeat proves that NATS stores: nobody is asked', async () => {
  const { world, readiness, serve } = node()
  serve(0)
  for (let n = 0; n < 15; n++) {
    world.nowMs += 200
    expect(await readiness.notReady()).toBeUndefined()
  }
  expect(world.asked).toBe(0)
})

it('without a heartbeat JetStream is asked for the reason, once for all who ask meanwhile', async () => {
  const { world, outages, readiness, serve } = node()
  serve(0)
  world.nowMs += 3_001
  world.answer = new KirokuError('NoQuorum', 'no leader')
  expect(await Promise.all([readiness.notReady(), readiness.notReady()])).toEqual(['no leader', 'no leader'])
  expect(world.asked).toBe(1)
  world.answer = undefined
  expect(await readiness.notReady()).toMatch(/^JetStream has stored no heartbeat of this node for 3 s/)
  outages.changed(0, 'Fencing', 'the store is full')
  expect(await readiness.notReady()).toMatch(/: the store is full$/)
  outages.changed(0, 'Active', 'at sequence 9')
  world.beatAtMs = world.nowMs
  expect(await readiness.notReady()).toBeUndefined()
})

it('a broken connection is reason enough', async () => {
  const { world, readiness, serve } = node()
  serve(0)
  world.isConnected = false
  expect(await readiness.notReady()).toBe('no connection to NATS')
  expect(world.asked).toBe(0)
})

it('a heartbeat is as old as it may be where nodes count as dead later, and beat less often', async () => {
  const { world, readiness, outages, serve } = node(60_000)
  serve(0)
  world.nowMs += 20_000
  expect(await readiness.notReady()).toBeUndefined()
  expect(await readiness.outage()).toBeUndefined()
  expect(outages.warnings).toEqual([])
  expect(world.asked).toBe(0)
  world.nowMs += 41_000
  expect(await readiness.notReady()).toMatch(
    /^no partition of this node has served .*does not confirm its lock$/,
  )
})

it('a late heartbeat is no outage while JetStream answers', async () => {
  const { world, readiness, serve } = node()
  serve(0)
  world.nowMs += 2_000
  expect(await readiness.outage()).toBeUndefined()
  expect(world.asked).toBe(1)
  world.answer = new KirokuError('NoQuorum', 'no leader')
  expect(await readiness.outage()).toBe(world.answer)
  expect(await readiness.notReady()).toBeUndefined()
})

it('a node that starts is ready once it serves a partition, or once all others are served', async () => {
  const first = node()
  expect(await first.readiness.notReady()).toBe('the partitions have no owner yet')
  first.outages.owned(0, { confirmedAtMs: () => first.world.beatAtMs, ttlMs: 3_000 })
  expect(await first.readiness.notReady()).toBe(
    'no partition of this node has served for 1 s: it is being taken over',
  )
  first.serve(0)
  expect(await first.readiness.notReady()).toBeUndefined()
  first.outages.left(0)
  expect(await first.readiness.notReady()).toBeUndefined()

  const spare = node()
  spare.readiness.completed()
  expect(await spare.readiness.notReady()).toBeUndefined()
})
