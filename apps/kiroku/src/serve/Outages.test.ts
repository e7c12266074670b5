import { expect, it } from 'vitest'
import { Outages } from './Outages.ts'

const full = 'the store is full'

const withPartitions = (...partitions: number[]) => {
  const clock = { ms: 1_000 }
  const lock: { confirmedMs?: number } = {}
  const outages = new Outages(() => clock.ms)
  for (const partition of partitions) {
    outages.owned(partition, { confirmedAtMs: () => lock.confirmedMs ?? clock.ms, ttlMs: 3_000 })
    outages.changed(partition, 'Fencing', 'the lock is ours')
    outages.changed(partition, 'Recovering', 'epoch 1')
    outages.changed(partition, 'Active', 'at sequence 4')
  }
  return { outages, clock, lock }
}

it('a node is ready while its partitions serve, and if it has none', () => {
  const { outages, clock } = withPartitions(0, 1)
  clock.ms += 60_000
  expect([outages.notReady, outages.warnings]).toEqual([undefined, []])
  outages.left(0)
  outages.left(1)
  outages.changed(1, 'Released', 'handed over')
  clock.ms += 60_000
  expect([outages.notReady, outages.warnings]).toEqual([undefined, []])
})

it('a node is not ready while all of its partitions fail, and says why; it warns of those that fail for seconds', () => {
  const { outages, clock } = withPartitions(0, 1)
  outages.changed(0, 'Fencing', full)
  clock.ms += 1_000
  expect(outages.notReady).toBeUndefined()
  outages.changed(1, 'Fencing', full)
  expect(outages.notReady).toBe(`no partition of this node has served for 1 s: ${full}`)
  clock.ms += 5_000
  expect(outages.notReady).toBe(`no partition of this node has served for 5 s: ${full}`)
  outages.changed(0, 'Active', 'at sequence 9')
  expect(outages.notReady).toBeUndefined()
  expect(outages.warnings).toEqual([`partition 1 has not served for 5 s: ${full}`])
})

it('a partition that is restarted and fails again is down since its first failure', () => {
  const { outages, clock } = withPartitions(0)
  outages.changed(0, 'Fencing', 'no answer')
  for (let n = 0; n < 10; n++) {
    clock.ms += 1_000
    outages.changed(0, 'Fenced', full)
    outages.failed(0, `${full} (after a pause of 100 ms)`)
    outages.changed(0, 'Fencing', 'the lock is ours')
  }
  expect(outages.notReady).toBe(
    `no partition of this node has served for 10 s: ${full} (after a pause of 100 ms)`,
  )
})

it('a damaged partition answers for itself, and does not take its node out of service', () => {
  const { outages, clock } = withPartitions(0)
  outages.changed(0, 'Quarantined', 'record 3 is damaged')
  clock.ms += 60_000
  expect([outages.notReady, outages.warnings]).toEqual([undefined, []])
})

it('a node whose locks are not confirmed is not ready, even without appends', () => {
  const { outages, clock, lock } = withPartitions(0, 1)
  lock.confirmedMs = clock.ms
  clock.ms += 4_999
  expect(outages.notReady).toBeUndefined()
  clock.ms += 1
  expect(outages.notReady).toBe(
    'no partition of this node has served for 5 s: NATS does not confirm its lock',
  )
  delete lock.confirmedMs
  expect(outages.notReady).toBeUndefined()
})
