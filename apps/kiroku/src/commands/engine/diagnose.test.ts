import type { RecordCheck } from '@kiroku/audit'
import { defaultQueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { diagnose, type Facts } from './diagnose.ts'

const queue = (name: string, deadLetter: string | null, warnings: readonly string[] = []) => {
  const target = deadLetter === null ? null : { name: deadLetter, partition: 0, queue: 1 }
  return { name, config: { ...defaultQueueConfig, deadLetter: target }, warnings, subscriptions: [] }
}

const noon = Date.UTC(2026, 0, 1, 12)
const clockOf = (state: 'agreed' | 'disputed' | 'ahead', storeMs = noon) => ({
  partition: 2,
  clock: { state, partitionMs: noon, storeMs, nodeMs: noon },
})

const gibibyte = 1024 ** 3
const roomy = {
  state: 'enough' as const,
  freeBytes: 100 * gibibyte,
  bytesMax: 100 * gibibyte,
  reserveBytes: gibibyte,
  earlyTrims: 0,
}

const healthy: Facts = {
  natsVersion: '2.15.1',
  natsVersionMin: '2.12.0',
  maxPayloadBytes: 8 * 1024 * 1024,
  syncInterval: 'always',
  clustered: false,
  replicas: 1,
  clockSkewMs: 12,
  clocks: [clockOf('agreed')],
  storage: [roomy],
  memory: [{ bytes: 1_000_000, bytesMax: 100_000_000 }],
  checkpoints: [{ count: 11, bytes: 4 * 1024 ** 2 }],
  recordBytes: 20 * 1024 ** 3,
  partitions: 4,
  partitionsOwned: 4,
  recordMs: 7 * 86_400_000,
  record: [{ partition: 0, firstSeq: 1, lastSeq: 9, readFrom: 1 }],
  index: { isFollowed: true, behind: 3 },
  lostLogs: [],
  queues: [queue('mail', 'dlq'), queue('dlq', null)],
  access: { entry: 'closed', isPlain: false },
  isEncrypted: true,
  held: [],
  keys: [{ queue: 'mail', state: 'there' }],
}

const held = (queue: string) => ({
  queue,
  to: 'dead',
  messages: 3,
  held: { reason: 'targetGone', since: 1 } as const,
})

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
  it('says who can enter NATS', () => {
    expect(statusOf({}, 'NATS access')).toBe('ok')
    const access = (entry: Facts['access']['entry'], isPlain = false) =>
      statusOf({ access: { entry, isPlain } }, 'NATS access')
    expect(access('elsewhere')).toBe('ok')
    expect(access('open')).toBe('warning')
    expect(access('closed', true)).toBe('warning')
    expect(access(undefined)).toBe('unknown')
  })

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
    ['partition time', { clocks: [clockOf('disputed')] }, 'bad'],
    ['partition time', { clocks: [clockOf('ahead')] }, 'warning'],
    ['partition time', { clocks: [{ partition: 0 }] }, undefined],
    ['store', { storage: [roomy, { ...roomy, state: 'full', freeBytes: 10_000 }] }, 'bad'],
    ['store', { storage: [roomy, { ...roomy, state: 'short' }] }, 'warning'],
    ['store', { storage: [{ ...roomy, earlyTrims: 2 }] }, 'warning'],
    ['checkpoints', { checkpoints: [{ count: 2, bytes: 11 * 1024 ** 3 }] }, 'warning'],
    ['checkpoints', { checkpoints: [] }, 'unknown'],
    ['auditor', { index: { isFollowed: true, behind: 20_000 } }, 'warning'],
    ['auditor', { index: { isFollowed: false, behind: 0 } }, 'warning'],
    ['auditor', { index: undefined }, 'unknown'],
    ['store', { storage: [{ ...roomy, bytesMax: 10 * 1024 ** 3 }] }, 'warning'],
    ['store', { storage: [{ state: 'enough', earlyTrims: 0 }] }, 'unknown'],
    ['store', { storage: [] }, 'unknown'],
    [
      'memory',
      {
        memory: [
          { bytes: 1, bytesMax: 100 },
          { bytes: 90, bytesMax: 100 },
        ],
      },
      'warning',
    ],
    ['memory', { memory: [{ bytes: 101, bytesMax: 100 }] }, 'bad'],
    ['partitions', { partitionsOwned: 3 }, 'bad'],
    ['partitions', { partitions: undefined }, 'unknown'],
    ['record', { record: undefined }, 'unknown'],
    ['record', { record: [{ partition: 0, firstSeq: 1, lastSeq: 9, readFrom: 5 }] }, 'ok'],
    ['record', { record: [damagedAt5] }, 'bad'],
    ['queue settings', { queues: [queue('q', null, ['Why.'])] }, 'warning'],
    ['dead letters', { queues: [queue('a', 'b'), queue('b', 'c'), queue('c', 'b')] }, 'warning'],
    ['waiting letters', { held: [held('#7')] }, 'warning'],
    ['waiting letters', { held: [held('mail')] }, undefined],
    ['retention', { recordMs: 3_600_000 }, 'warning'],
    ['retention', { recordMs: undefined }, 'ok'],
  ] as const)('says of %s with %j: %s', (check, facts, status) => {
    expect(statusOf(facts, check)).toBe(status)
  })

  it('names the clocks that disagree with their figures, and how to say which is right', () => {
    const [found] = diagnose({ ...healthy, clocks: [clockOf('disputed', noon + 5 * 86_400_000)] }).filter(
      ({ check }) => check === 'partition time',
    )
    expect(found?.detail).toContain('NATS says 2026-01-06T12:00:00.000Z, that of its node 2026-01-01T12:00')
    expect(found?.advice).toContain('kiroku cluster clock --accept node')
  })

  it('names what is wrong with many queues once, and some of them', () => {
    const queues = Array.from({ length: 1_030 }, (_, n) =>
      queue(`q${n}`, null, n < 1_022 ? ['Why.'] : ['How.']),
    )
    const found = diagnose({ ...healthy, queues }).filter(({ check }) => check === 'queue settings')
    expect(found.map(({ advice }) => advice)).toEqual(['Why.', 'How.'])
    expect(found[0]!.detail).toMatch(/^queues q0, q1, .* q19, and 1,002 more$/)
  })

  it('says what to do about every problem', () => {
    const sick = diagnose({
      ...healthy,
      natsVersion: '2.9.0',
      syncInterval: '2m0s',
      maxPayloadBytes: 1_048_576,
      clockSkewMs: 99_999,
      storage: [{ ...roomy, state: 'full', freeBytes: 1 }],
      partitionsOwned: 0,
    }).filter(({ status }) => status !== 'ok')
    expect(sick).toHaveLength(6)
    for (const { advice } of sick) expect(advice).toMatch(/\.$/)
  })
})
