import { limits, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { describeQueues } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const s = 1_000
const min = 60_000

const given = (config: Partial<QueueConfig> = {}): TestPartition => {
  const p = new TestPartition()
  p.create('q', { retriesMax: 1_000, ...config })
  return p
}
const warningsOf = (p: TestPartition): readonly string[] =>
  describeQueues(p.state, p.state.queues.values(), p.now, p.own)[0]!.warnings

/** Handles `count` messages as one batch, for `tookMs` in all, and renews their leases `renewals` times meanwhile. */
const work = (p: TestPartition, count: number, tookMs: number, renewals = 0, leaseMs?: number): void => {
  p.send('q', count)
  const delivery = p.receive('q', { max: count, ...(leaseMs === undefined ? {} : { leaseMs }) })!
  for (let i = 0; i < renewals; i++) {
    p.pass(Math.floor(tookMs / (renewals + 1)))
    p.settle('Extend', delivery, { leaseMs: leaseMs ?? p.state.subscriptions[0]!.config.leaseMs })
  }
  p.pass(tookMs - renewals * Math.floor(tookMs / (renewals + 1)))
  p.settle('Ack', delivery)
}

describe('a lease that is too short', () => {
  const late = (lease: string, remedy: string): string =>
    `Handlers finish after their lease of ${lease} has expired, so their messages are delivered again: ${remedy}, or have consumers renew leases while they work.`

  it('is one that ends while handlers work', () => {
    const p = given({ leaseMs: 10 * s })
    work(p, limits.shortLeaseAttemptsMin - 1, 25 * s)
    expect(warningsOf(p)).toEqual([])
    work(p, 1, 25 * s)
    expect(warningsOf(p)).toEqual([late('10 s', 'set leaseMs to 1 min')])
  })

  it('is one that few outlast, but no longer when nearly all keep it', () => {
    const p = given({ leaseMs: 10 * s })
    work(p, 5, 25 * s)
    work(p, 95, s)
    expect(warningsOf(p)).toEqual([late('10 s', 'set leaseMs to 1 min')])
    work(p, 1, s)
    expect(warningsOf(p)).toEqual([])
  })

  it('is told of where late acks are refused, and where handlers fail', () => {
    for (const end of ['Ack', 'Retry'] as const) {
      const p = given({ leaseMs: 10 * s, lateHandles: 'reject' })
      p.send('q', 20)
      const delivery = p.receive('q', { max: 20 })!
      p.pass(25 * s)
      expect(p.settle(end, delivery)).toHaveLength(20)
      expect(warningsOf(p)).toContainEqual(late('10 s', 'set leaseMs to 1 min'))
    }
  })

  it('is not one that is renewed while the work goes on', () => {
    const p = given({ leaseMs: 10 * s })
    work(p, 100, 60 * s, 12)
    expect(warningsOf(p)).toEqual([])
  })

  it('is not blamed for a verdict that is given twice', () => {
    const p = given({ leaseMs: 60 * s })
    p.send('q', 100)
    const delivery = p.receive('q', { max: 100 })!
    p.pass(s)
    for (let i = 0; i < 3; i++) p.settle('Retry', delivery, { delayMs: min })
    expect(warningsOf(p)).not.toContainEqual(expect.stringContaining('lease of'))
  })

  it('is that of the receives, where these ask for their own', () => {
    const p = given({ leaseMs: 30 * s })
    work(p, 20, 25 * s, 0, 10 * s)
    expect(warningsOf(p)).toEqual([
      late(
        '10 s',
        'have consumers ask for 1 min instead, or restart those that began before leaseMs was changed',
      ),
    ])
  })

  it('is one that most attempts renew again and again', () => {
    const p = given({ leaseMs: s })
    work(p, 20, 20 * s, 40)
    expect(warningsOf(p)).toEqual([
      'Most attempts take 20 s or longer and renew their lease of 1 s again and again, which writes an event each time: set leaseMs to 5 s.',
    ])
    const calm = given({ leaseMs: s })
    work(calm, 20, 17 * s, 34)
    expect(warningsOf(calm)).toEqual([])
  })

  it('is forgotten with the deliveries that had it, and at once when another gets one that is long enough', () => {
    const p = given({ leaseMs: 10 * s })
    work(p, 20, 25 * s)
    p.configure('q', { leaseMs: min })
    expect(warningsOf(p)).toHaveLength(1)
    p.send('q', 1)
    p.receive('q')
    expect(warningsOf(p)).toEqual([])
    const idle = given({ leaseMs: 10 * s })
    work(idle, 20, 25 * s)
    idle.pass(80 * s)
    expect(warningsOf(idle)).toEqual([])
  })
})

describe('a lease that is too long', () => {
  it('is one that lasts for far longer than any attempt', () => {
    const p = given({ leaseMs: 12 * 60 * min })
    work(p, limits.longLeaseAttemptsMin - 1, 80)
    expect(warningsOf(p)).toEqual([])
    work(p, 1, 80)
    expect(warningsOf(p)).toEqual([
      'Attempts finish within 1 s, but messages of a crashed consumer come back only when their lease of 12 h expires: set leaseMs to 30 s.',
    ])
    p.configure('q', { leaseMs: 30 * s })
    work(p, 1, 80)
    expect(warningsOf(p)).toEqual([])
  })

  it('is not one that a single attempt of the last hour came near to', () => {
    const p = given({ leaseMs: 15 * min })
    work(p, 1, min)
    p.pass(58 * min)
    work(p, 1_000, 80)
    expect(warningsOf(p)).toEqual([])
    p.pass(120 * min)
    work(p, 1_000, 80)
    expect(warningsOf(p)).toHaveLength(1)
  })

  it('is still told of when its consumer is gone', () => {
    const p = given({ leaseMs: 60 * min })
    work(p, 1_000, 2 * min)
    p.send('q', 10)
    p.receive('q')
    p.pass(30 * min)
    expect(warningsOf(p)).toEqual([
      'Attempts finish within 2 min, but messages of a crashed consumer come back only when their lease of 1 h expires: set leaseMs to 5 min.',
    ])
  })

  it('is not one of less than 5 minutes, however quick the work is', () => {
    const p = given({ leaseMs: 5 * min - 1 })
    work(p, 1_000, 1)
    expect(warningsOf(p)).toEqual([])
    const longer = given({ leaseMs: 5 * min })
    work(longer, 1_000, 1)
    expect(warningsOf(longer)).toHaveLength(1)
  })
})
