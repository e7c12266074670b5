import { defaultQueueConfig, noCounts } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import type { LogInfo, QueueInfo } from '../../data/queueInfos.ts'
import type { Cluster } from './Cluster.ts'
import { adviceOf, backlogs, storageAdviceOf, viewsNow, viewsThen } from './partitionViews.ts'

const queue = (...places: QueueInfo['places']): QueueInfo => ({
  name: 'mail',
  places,
  config: defaultQueueConfig,
  counts: noCounts,
  deliveryPaused: false,
  oldestAgeMs: 0,
  subscriptions: [],
  warnings: [],
})
const log: LogInfo = {
  queues: [queue({ partition: 0, live: 5 }), queue({ partition: 0, live: 2 }, { partition: 1, live: 1 })],
  missing: [],
}
const cluster: Cluster = {
  log: 'main',
  nodes: [
    { address: 'a', host: 'vm', pid: 7, startedAt: '', healthy: true, leaving: false, partitions: [0, 1, 2] },
  ],
  partitions: [
    { partition: 0, owner: 'a', state: 'Active', epoch: 1, lastSeq: 110 },
    { partition: 1, owner: 'a', state: 'Quarantined' },
    { partition: 2, owner: 'a' },
    { partition: 3 },
  ],
  auditor: { pid: 8, role: 'writer', partitions: [{ partition: 0, seq: 100, lastSeq: 104, events: 0 }] },
}

it('adds up what waits in each partition, a spread queue by its parts', () => {
  expect([...backlogs(log)]).toEqual([
    [0, 7],
    [1, 1],
  ])
})

it('shows owner, backlog, what the auditor still has to read, and how fast a partition grows', () => {
  const before = { ...cluster, partitions: [{ partition: 0, owner: 'a', lastSeq: 90 }] }
  const [first, second, third, fourth] = viewsNow(
    { cluster, at: 12_000 },
    { cluster: before, at: 10_000 },
    log,
  )
  expect(first).toMatchObject({
    owner: { name: 'vm-7', index: 0 },
    health: 'well',
    backlog: 7,
    auditLag: 4,
    appends: 10,
  })
  expect([second, third, fourth].map((view) => view?.health)).toEqual(['quarantined', 'silent', 'nobody'])
  expect(second).not.toHaveProperty('appends')
})

it('shows how long its owner has had a partition: since its epoch began, or it took the lock', () => {
  const of = (epochAt: number) => {
    const partitions = [{ partition: 0, owner: 'a', lockedAt: 7_000, epochAt }]
    return viewsNow({ cluster: { ...cluster, partitions }, at: 10_000 }, undefined, log)[0]!.ownedMs
  }
  expect([of(8_000), of(0)]).toEqual([2_000, 3_000])
})

it('says what to do when a partition is unhealthy', () => {
  const advice = viewsNow({ cluster, at: 0 }, undefined, log).map(adviceOf)
  expect(advice[0]).toBeUndefined()
  expect(advice[1]).toMatch(/kiroku repair/)
  expect(advice[2]).toMatch(/does not answer/)
  expect(advice[3]).toMatch(/Partition 3 has no owner/)
})

it('says which clocks of a partition disagree, and how to say which is right', () => {
  const at = Date.UTC(2026, 0, 1)
  const clock = { state: 'disputed', partitionMs: at, storeMs: at + 5 * 86_400_000, nodeMs: at } as const
  const partitions = [{ partition: 0, owner: 'a', state: 'Active', clock }]
  const [advice] = viewsNow({ cluster: { ...cluster, partitions }, at }, undefined, log).map(adviceOf)
  expect(advice).toMatch(/^Partition 0: the clock of NATS says 2026-01-06T00:00:00.000Z/)
  expect(advice).toMatch(/kiroku cluster clock --accept node/)
})

it('says once for all partitions that sends are refused, and how much room there is', () => {
  const mebibyte = 1024 ** 2
  const enough = { state: 'enough', freeBytes: 9 * mebibyte, bytesMax: 64 * mebibyte, earlyTrims: 0 } as const
  const full = { ...enough, state: 'full', freeBytes: mebibyte, reserveBytes: 6.4 * mebibyte } as const
  const views = (...storages: (typeof enough | typeof full | undefined)[]) => {
    const partitions = storages.map((storage, partition) => ({
      partition,
      owner: 'a',
      state: 'Active',
      ...(storage === undefined ? {} : { storage }),
    }))
    return viewsNow({ cluster: { ...cluster, partitions }, at: 0 }, undefined, log)
  }
  expect(storageAdviceOf(views(enough, undefined))).toEqual([])
  expect(storageAdviceOf(views(enough, full, full))).toEqual([
    expect.stringMatching(
      /^The store has 1\.0 MiB of 64\.0 MiB left: sends are refused until 6\.4 MiB are free\. Consume/,
    ),
  ])
})

it('shows owners and epochs as they were, and which partitions cannot be read', () => {
  const then = viewsThen({
    ...log,
    partitions: [{ partition: 1, seq: 9, at: 1, epoch: 3, owner: 'vm-2' }],
    missing: [{ partition: 0, problem: { id: 'LogDamaged', message: '', help: '' } }],
  })
  expect(then).toEqual([
    { partition: 0, health: 'unreadable' },
    { partition: 1, lastSeq: 9, epoch: 3, health: 'well', owner: { name: 'vm-2', index: 0 }, backlog: 1 },
  ])
})
