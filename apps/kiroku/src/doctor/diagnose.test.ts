import type { RecordCheck } from '@kiroku/audit'
import { defaultQueueConfig } from '@kiroku/partition'
import { describe, expect, it } from 'vitest'
import { diagnose, type Facts } from './diagnose.ts'

const queue = (name: string, deadLetter: string | null, warnings: readonly string[] = []) => {
  const target = deadLetter === null ? null : { name: deadLetter, partition: 0, queue: 1 }
  return { name, config: { ...defaultQueueConfig, deadLetter: target }, warnings, subscriptions: [] }
}

const healthy: Facts = {
  natsVersion: '2.15.1',
  natsVersionMin: '2.12.0',
  maxPayloadBytes: 8 * 1024 * 1024,
  syncInterval: 'always',
  clustered: false,
  replicas: 1,
  clockSkewMs: 12,
  diskFreeBytes: 100 * 1024 ** 3,
  recordBytes: 20 * 1024 ** 3,
  partitions: 4,
  partitionsOwned: 4,
  recordMs: 7 * 86_400_000,
  record: [{ partition: 0, firstSeq: 1, lastSeq: 9, readFrom: 1 }],
  index: { isFollowed: true, behind: 3 },
  lostLogs: [],
  queues: [queue('mail', 'dlq'), queue('dlq', null)],
  keys: [{ queue: 'mail', state: 'there' }],
}

const statusOf = (facts: Partial<Facts>, check: string): string | undefined =>
  diagnose({ ...healthy, ...facts }).find((finding) => finding.check === check)?.status

const damagedAt5: RecordCheck = {
  partition: 0,
  firstSeq: 1,
  lastSeq: 9,
  readFrom: 1,
  problem: { seq: 5, id: 'LogDamaged', message: 'partition 0, sequence 5: the record is missing' },
}

describe('the doctor', () => {
  it('names a log that this node wrote to and that is gone', () => {
    const found = diagnose({ ...healthy, lostLogs: [{ incarnation: 'abcd1234', lastSeq: 77 }] })
    expect(found).toContainEqual(
      expect.objectContaining({
        status: 'bad',
        detail: expect.stringContaining('abcd1234, up to record 77'),
      }),
    )
  })

  it('finds nothing wrong with a healthy engine', () => {
    expect(diagnose(healthy).filter(({ status }) => status !== 'ok')).toEqual([])
  })

  it.each([
    ['NATS version', { natsVersion: '2.9.25' }, 'bad'],
    ['keys', { keys: [{ queue: 'mail', state: 'lost' }] }, 'bad'],
    ['keys', { keys: [{ queue: 'mail', state: 'unreachable' }] }, 'bad'],
    ['keys', { keys: [] }, undefined],
    ['NATS version', { natsVersion: '2.12.0' }, 'ok'],
    ['sync_interval', { syncInterval: '2m0s' }, 'warning'],
    ['sync_interval', { syncInterval: '2m0s', replicas: 3 }, 'ok'],
    ['sync_interval', { syncInterval: undefined }, 'unknown'],
    ['replicas', { clustered: true }, 'warning'],
    ['replicas', { clustered: true, replicas: 3 }, 'ok'],
    ['max_payload', { maxPayloadBytes: 1_048_576 }, 'warning'],
    ['clock', { clockSkewMs: -60_000 }, 'warning'],
    ['clock', { clockSkewMs: undefined }, 'unknown'],
    ['disk', { diskFreeBytes: 10_000 }, 'bad'],
    ['auditor', { index: { isFollowed: true, behind: 20_000 } }, 'warning'],
    ['auditor', { index: { isFollowed: false, behind: 0 } }, 'warning'],
    ['auditor', { index: undefined }, 'unknown'],
    ['disk', { diskFreeBytes: 5 * 1024 ** 3 }, 'warning'],
    ['disk', { diskFreeBytes: undefined }, 'unknown'],
    ['partitions', { partitionsOwned: 3 }, 'bad'],
    ['partitions', { partitions: undefined }, 'unknown'],
    ['record', { record: undefined }, 'unknown'],
    ['record', { record: [{ partition: 0, firstSeq: 1, lastSeq: 9, readFrom: 5 }] }, 'ok'],
    ['record', { record: [damagedAt5] }, 'bad'],
    ['queue settings', { queues: [queue('q', null, ['Why.'])] }, 'warning'],
    ['dead letters', { queues: [queue('a', 'b'), queue('b', 'c'), queue('c', 'b')] }, 'warning'],
    ['retention', { recordMs: 3_600_000 }, 'warning'],
    ['retention', { recordMs: undefined }, 'ok'],
  ] as const)('says of %s with %j: %s', (check, facts, status) => {
    expect(statusOf(facts, check)).toBe(status)
  })

  it('says what to do about everything that is not well', () => {
    const sick = diagnose({
      ...healthy,
      natsVersion: '2.9.0',
      syncInterval: '2m0s',
      maxPayloadBytes: 1_048_576,
      clockSkewMs: 99_999,
      diskFreeBytes: 1,
      partitionsOwned: 0,
    }).filter(({ status }) => status !== 'ok')
    expect(sick).toHaveLength(6)
    for (const { advice } of sick) expect(advice).toMatch(/\.$/)
  })
})
