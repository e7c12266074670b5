import { connect } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import { waitUntil, withNats } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Fiber from 'effect/Fiber'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { KvBucket } from './KvBucket.ts'
import { lockKey, locksBucket, type PartitionLock } from './PartitionLock.ts'
import type { PlacementOptions } from './Placement.ts'
import { type RunnerRecord, runnersBucket } from './RunnerRecord.ts'
import { clusterStatus, type OwnershipLease, placement, type PlacementEvent } from './index.ts'

const server = withNats()
let nc: NatsConnection
let log: string
let logs = 0
let events: Array<PlacementEvent>
let leave: () => Promise<void>

beforeEach(async () => {
  nc = await connect({ servers: server().url })
  log = `log${logs++}`
  events = []
  leave = async () => {}
})
afterEach(async () => {
  await leave()
  await nc.close()
})

const kinds = (kind: PlacementEvent['kind']) => events.filter((event) => event.kind === kind)

const join = (run: PlacementOptions['run'], partitions = 1) => {
  const node = placement({ nc, log, partitions, run, build, onEvent: (event) => events.push(event) })
  const fiber = Effect.runFork(Effect.scoped(Effect.andThen(node, Effect.never)))
  leave = async () => {
    await Effect.runPromise(Fiber.interrupt(fiber))
  }
}

const build = { version: '1.2.3', featureLevel: 4 }
const locks = () => KvBucket.open<PartitionLock>(nc, locksBucket(log))

/** Another node, alive and on another machine. */
const stranger = async (): Promise<string> => {
  const address = 'stranger'
  const runners = KvBucket.open<RunnerRecord>(nc, runnersBucket(log))
  const record = { address, host: 'elsewhere', pid: 1, partitions: 1, startedAt: '', leaving: true }
  await runners.put(address, record)
  return address
}

test('a partition that fails is started again, with its lock confirmed, longer and longer apart', async () => {
  const startsAtMs: Array<number> = []
  join((_, lease) => {
    expect(lease.confirmedAtMs()).toBeGreaterThan(performance.now() - lease.ttlMs)
    startsAtMs.push(performance.now())
    return startsAtMs.length < 4 ? Effect.fail(new Error(`failure ${startsAtMs.length}`)) : Effect.never
  })
  await waitUntil(() => startsAtMs.length === 4)
  expect(kinds('restarted').map((event) => event.reason)).toEqual([
    'Error: failure 1 (after a pause of 100 ms)',
    'Error: failure 2 (after a pause of 200 ms)',
    'Error: failure 3 (after a pause of 400 ms)',
  ])
  expect(kinds('acquired')).toHaveLength(1)
})

test('a partition that dies by a defect or by interrupting itself is started again too', async () => {
  let starts = 0
  join(() => {
    starts++
    return starts === 1 ? Effect.die('defect') : starts === 2 ? Effect.interrupt : Effect.never
  })
  await waitUntil(() => starts === 3)
  expect(kinds('lost')).toEqual([])
})

test('a partition whose run throws before it returns an effect is started again', async () => {
  let starts = 0
  join(() => {
    if (starts++ === 0) throw new Error('thrown')
    return Effect.never
  })
  await waitUntil(() => starts === 2)
})

test('what a failed run held is released before the next one starts', async () => {
  let held = 0
  let starts = 0
  join(() =>
    Effect.gen(function* () {
      expect(held).toBe(0)
      starts++
      yield* Effect.acquireRelease(
        Effect.sync(() => held++),
        () => Effect.sync(() => held--),
      )
      return yield* starts < 3 ? Effect.fail('again') : Effect.never
    }),
  )
  await waitUntil(() => starts === 3)
})

test('a fenced partition pauses longer before it takes back', async () => {
  let starts = 0
  join(() => (starts++ === 0 ? Effect.fail(new KirokuError('Fenced', 'another epoch')) : Effect.never))
  await waitUntil(() => starts === 2)
  expect(kinds('restarted')[0]?.reason).toContain('after a pause of 1000 ms')
})

test('a partition whose lock names another stops, stays stopped, and leaves that lock alone', async () => {
  const stopped: Array<number> = []
  let lease: OwnershipLease | undefined
  let starts = 0
  join((partition, its) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        lease = its
        starts++
      }),
      () => Effect.sync(() => stopped.push(partition)),
    ).pipe(Effect.andThen(Effect.never)),
  )
  await waitUntil(() => starts === 1)
  const owner = await stranger()
  await locks().put(lockKey(0), { owner })
  await waitUntil(() => kinds('lost').length === 1)
  expect(kinds('lost')[0]?.reason).toBe('the lock names stranger')
  expect(stopped).toEqual([0])
  expect(lease?.confirmedAtMs()).toBe(-Infinity)
  await leave()
  expect((await locks().get(lockKey(0)))?.value).toEqual({ owner })
  expect(starts).toBe(1)
})

test('a lock whose holder has vanished is taken back', async () => {
  let starts = 0
  join(() =>
    Effect.andThen(
      Effect.sync(() => starts++),
      Effect.never,
    ),
  )
  await waitUntil(() => starts === 1)
  // No node ever had a heartbeat under that name.
  await locks().put(lockKey(0), { owner: 'nobody' })
  await waitUntil(() => starts === 2)
  expect(kinds('acquired')[1]?.reason).toBe('its holder nobody is gone')
})

test('a node that leaves releases everything and signs off', async () => {
  const running = new Set<number>()
  const partitions = 4
  join(
    (partition) =>
      Effect.acquireRelease(
        Effect.sync(() => running.add(partition)),
        () => Effect.sync(() => running.delete(partition)),
      ).pipe(Effect.andThen(Effect.never)),
    partitions,
  )
  await waitUntil(() => running.size === partitions)
  const status = await clusterStatus(nc, log)
  expect(status.runners).toHaveLength(1)
  expect(status.partitions.map((partition) => partition.owner)).toEqual(
    Array.from({ length: partitions }, () => status.runners[0]?.address),
  )
  await leave()
  expect(running.size).toBe(0)
  expect(kinds('released').map((event) => event.reason)).toEqual(
    Array.from({ length: partitions }, () => 'this node stops'),
  )
  const after = await clusterStatus(nc, log)
  expect(after.runners).toEqual([])
  expect(after.partitions.map((partition) => partition.owner)).toEqual(
    Array.from({ length: partitions }, () => undefined),
  )
})

test('the status names the version and the feature level of each node, and neither of one that is too old to say', async () => {
  join(() => Effect.never)
  await waitUntil(() => kinds('acquired').length === 1)
  await stranger()
  const { runners } = await clusterStatus(nc, log)
  expect(runners.find(({ address }) => address === 'stranger')).toMatchObject({
    version: undefined,
    featureLevel: undefined,
  })
  expect(runners.find(({ address }) => address !== 'stranger')).toMatchObject(build)
})

test('a log that is not served has an empty status', async () => {
  expect(await clusterStatus(nc, log)).toEqual({ log, runners: [], partitions: [] })
})

test('wrong settings are refused before anything is made', async () => {
  const run = () => Effect.never
  for (const wrong of [{ partitions: 0 }, { log: 'a.b' }, { heartbeatTtlMs: 10 }, { weight: -1 }]) {
    const exit = await Effect.runPromiseExit(
      Effect.scoped(placement({ nc, log, partitions: 1, run, ...wrong })),
    )
    expect(Exit.isFailure(exit) && String(exit.cause)).toContain('KirokuError')
  }
})
