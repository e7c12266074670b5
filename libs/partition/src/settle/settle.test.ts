import { limits, type CommandOf, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { type PlannedDelivery } from '../index.ts'
import { itemOf, TestPartition } from '../testing/TestPartition.ts'

const given = (config: Partial<QueueConfig> = {}, count = 1): { p: TestPartition; d: PlannedDelivery } => {
  const p = new TestPartition()
  p.create('q', config)
  p.send('q', count)
  return { p, d: p.receive('q', { leaseMs: 1_000 })! }
}

describe('an acknowledgement', () => {
  it('commits the messages it names', () => {
    const { p, d } = given({}, 5)
    expect(p.settle('Ack', d, { numbers: [2, 4] })).toEqual([])
    expect(p.counts('q')).toMatchObject({ inflight: 3, committed: 2 })
    p.pass(1_000)
    expect(p.counts('q')).toMatchObject({ available: 3, inflight: 0, committed: 2 })
  })
  it('may be repeated: the second changes nothing and is no error', () => {
    const { p, d } = given()
    expect(p.settle('Ack', d)).toEqual([])
    expect(p.settle('Ack', d)).toEqual([])
    expect(p.events).toEqual([])
    expect(p.counts('q').committed).toBe(1)
  })
  it('that names a message twice commits it once', () => {
    const { p, d } = given({}, 3)
    expect(p.settle('Ack', d, { numbers: [1, 1, 3, 2, 3] })).toEqual([])
    expect(p.counts('q')).toMatchObject({ committed: 3, inflight: 0 })
  })
  it('in one turn with a retry of the same message: the first that is heard counts', () => {
    const { p, d } = given()
    const [a, b] = p.turn(
      { type: 'Retry', items: [itemOf(d)], delayMs: 50 },
      { type: 'Release', items: [itemOf(d)] },
    )
    expect(p.answers.get(a!)?.answer).toEqual({ ok: { refused: [] } })
    expect(p.answers.get(b!)?.answer).toEqual({
      ok: { refused: [{ item: 0, number: 1, error: 'ReceiptExpired' }] },
    })
  })
  it('after the lease ended is accepted where late handles are, whoever holds the message now', () => {
    const { p, d } = given()
    p.pass(1_000)
    const later = p.receive('q')!
    expect(later.attempts).toEqual([2])
    expect(p.settle('Ack', d)).toEqual([])
    expect(p.counts('q')).toMatchObject({ committed: 1, inflight: 0 })
    expect(p.settle('Retry', later)).toEqual(['UnknownReceipt'])
  })
  it('after the lease ended is refused where late handles are', () => {
    const { p, d } = given({ lateHandles: 'reject' })
    p.pass(1_000)
    expect(p.settle('Ack', d)).toEqual(['ReceiptExpired'])
    const later = p.receive('q')!
    expect(p.settle('Ack', d)).toEqual(['ReceiptExpired'])
    expect(p.settle('Ack', later)).toEqual([])
    expect(p.counts('q').committed).toBe(1)
  })
  it('is accepted late from a pause too', () => {
    const { p, d } = given({ retry: { kind: 'fixed', delayMs: 500 } })
    p.pass(1_200)
    expect(p.counts('q').waitingRetry).toBe(1)
    expect(p.settle('Ack', d)).toEqual([])
    expect(p.pass(1_000)).toEqual([])
    expect(p.counts('q')).toMatchObject({ committed: 1, waitingRetry: 0 })
  })
  it('does not make up for a verdict that was final already', () => {
    const { p, d } = given({ retriesMax: 0 })
    p.settle('Retry', d)
    expect(p.counts('q')).toMatchObject({ discarded: 1, committed: 0 })
    p.settle('Ack', d)
    expect(p.counts('q')).toMatchObject({ discarded: 1, committed: 0 })
  })
})

describe('a retry', () => {
  const policy = { retry: { kind: 'fixed', delayMs: 200 } } as const
  it('pauses as its own delay says', () => {
    const { p, d } = given(policy)
    p.settle('Retry', d, { delayMs: 700 })
    expect(p.counts('q').waitingRetry).toBe(1)
    expect(p.pass(699)).toEqual([])
    expect(p.pass(1).map((e) => e.type)).toEqual(['RetryDue'])
    expect(p.receive('q')!.attempts).toEqual([2])
  })
  it('pauses as the queue says when it says nothing', () => {
    const { p, d } = given(policy)
    p.settle('Retry', d)
    expect(p.pass(199)).toEqual([])
    expect(p.pass(1).map((e) => e.type)).toEqual(['RetryDue'])
  })
  it('does not pause for a delay of 0, whatever the queue says', () => {
    const { p, d } = given(policy)
    p.settle('Retry', d, { delayMs: 0 })
    expect(p.receive('q')!.attempts).toEqual([2])
  })
  it('takes its pause from the attempt that failed', () => {
    const { p, d } = given({ retry: { kind: 'list', delaysMs: [10, 20, 30] } })
    p.settle('Retry', d)
    p.pass(10)
    p.settle('Retry', p.receive('q')!)
    expect(p.pass(19)).toEqual([])
    expect(p.pass(1).map((e) => e.type)).toEqual(['RetryDue'])
  })
  it('takes chance from the turn, for jitter', () => {
    const { p, d } = given({
      retry: { kind: 'exponential', baseMs: 100, factor: 2, maxMs: 1_000, jitter: 1 },
    })
    p.random = () => 0.5
    p.settle('Retry', d)
    expect(p.events).toMatchObject([{ type: 'RetryScheduled', dueAt: p.now + 50 }])
  })
  it('records its error, cut where it is too long', () => {
    const { p, d } = given()
    p.settle('Retry', d, { error: 'x'.repeat(limits.errorCharactersMax + 1) })
    expect(p.events).toMatchObject([{ type: 'RetryScheduled', error: 'x'.repeat(limits.errorCharactersMax) }])
  })
  it('that comes late is refused', () => {
    const { p, d } = given()
    p.pass(1_000)
    expect(p.settle('Retry', d)).toEqual(['ReceiptExpired'])
  })
})

describe('a lease that ends', () => {
  it('pauses a push consumer’s message by the policy', () => {
    const { p } = given({ retry: { kind: 'fixed', delayMs: 200 } })
    p.pass(1_000)
    expect(p.counts('q').waitingRetry).toBe(1)
  })
  it('returns a simple consumer’s message at once', () => {
    const p = new TestPartition()
    p.create('q', { retry: { kind: 'fixed', delayMs: 200 } })
    p.send('q')
    p.receive('q', { mode: 'simple', leaseMs: 1_000 })
    p.pass(1_000)
    expect(p.counts('q')).toMatchObject({ available: 1, waitingRetry: 0 })
  })
  it('is longer by the time without an owner', () => {
    const { p } = given()
    p.now += 5_000
    p.record({ type: 'ClockResumed', now: p.now, gapMs: 5_000 })
    expect(p.pass(999)).toEqual([])
    expect(p.pass(1).map((e) => e.type)).toEqual(['LeaseExpired'])
  })
})

describe('a release', () => {
  it('gives the attempt back', () => {
    const { p, d } = given({ retriesMax: 0 })
    expect(p.settle('Release', d)).toEqual([])
    expect(p.receive('q')!.attempts).toEqual([1])
  })
  it('ends the lease: its receipt is worth nothing any more', () => {
    const { p, d } = given()
    p.settle('Release', d)
    expect(p.settle('Retry', d)).toEqual(['ReceiptExpired'])
    p.pass(2_000)
    expect(p.counts('q').available).toBe(1)
  })
})

describe('an extension', () => {
  it('sets the lease anew from now on', () => {
    const { p, d } = given()
    p.pass(900)
    expect(p.settle('Extend', d, { leaseMs: 1_000 })).toEqual([])
    expect(p.pass(999)).toEqual([])
    expect(p.pass(1).map((e) => e.type)).toEqual(['LeaseExpired'])
  })
  it('may shorten the lease', () => {
    const { p, d } = given()
    p.settle('Extend', d, { leaseMs: 10 })
    expect(p.pass(10).map((e) => e.type)).toEqual(['LeaseExpired'])
  })
  it('goes up to the cap, counted from the receive, and not beyond', () => {
    const { p, d } = given({ leaseMs: 1_000, leaseCapMs: 1_500 })
    p.pass(900)
    expect(p.settle('Extend', d, { leaseMs: 601 })).toEqual(['LeaseCapReached'])
    expect(p.settle('Extend', d, { leaseMs: 600 })).toEqual([])
    expect(p.pass(599)).toEqual([])
    expect(p.pass(1).map((e) => e.type)).toEqual(['LeaseExpired'])
  })
  it('that comes late is refused', () => {
    const { p, d } = given()
    p.pass(1_000)
    expect(p.settle('Extend', d, { leaseMs: 1_000 })).toEqual(['ReceiptExpired'])
    p.receive('q')
    expect(p.settle('Extend', d, { leaseMs: 1_000 })).toEqual(['ReceiptExpired'])
  })
  it('is refused by message where the lease is shorter than its queue allows', () => {
    const p = new TestPartition()
    p.create('long', { leaseMs: 60_000, leaseMinMs: 10_000 })
    p.create('any')
    p.send('long', 1)
    p.send('any', 1)
    const long = p.receive('long')!
    const any = p.receive('any')!
    const items = [itemOf(long), itemOf(any)]
    expect(p.ok({ type: 'Extend', items, leaseMs: 9_999 }).refused).toEqual([
      { item: 0, number: 1, error: 'LeaseTooShort' },
    ])
    expect(p.ok({ type: 'Extend', items, leaseMs: 10_000 }).refused).toEqual([])
  })
})

describe('a receipt is unknown', () => {
  const { p, d } = given({}, 2)
  const other: [string, Partial<PlannedDelivery>][] = [
    ['of a queue that is not there', { queue: 99 }],
    ['of a generation that is not there', { sub: 1 }],
    ['of a delivery that is still to come', { delivery: d.delivery + 1 }],
    ['of no delivery', { delivery: 0 }],
    ['of a message that was never sent', { numbers: [3, 1] }],
    ['of a message before the first', { numbers: [0, 1] }],
  ]
  it.each(other)('%s', (_, change) => {
    expect(new Set(p.settle('Ack', { ...d, ...change }))).toEqual(new Set(['UnknownReceipt']))
    expect(p.counts('q')).toMatchObject({ inflight: 2, committed: 0 })
  })
})

describe('a settling command is refused as a whole', () => {
  const { p, d } = given({}, 2)
  const item = itemOf(d)
  const wrong: [string, string, Partial<CommandOf<'Extend'>> | object][] = [
    ['a number that is none', 'InvalidReceipt', { items: [item, { ...item, numbers: [Number.NaN, 1] }] }],
    ['half a number', 'InvalidReceipt', { items: [{ ...item, numbers: [0.5, 1] }] }],
    ['a count of none', 'InvalidReceipt', { items: [{ ...item, numbers: [1, Number.NaN] }] }],
    ['a count below 1', 'InvalidReceipt', { items: [{ ...item, numbers: [1, 0] }] }],
    ['a count that is missing', 'InvalidReceipt', { items: [{ ...item, numbers: [1, 1, 2] }] }],
    ['more messages than a delivery has', 'InvalidReceipt', { items: [{ ...item, numbers: [1, 1_001] }] }],
    [
      'numbers without end',
      'InvalidReceipt',
      { items: [{ ...item, numbers: [1, Number.POSITIVE_INFINITY] }] },
    ],
    ['a bigint', 'InvalidReceipt', { items: [{ ...item, numbers: [1n, 1n] }] }],
    ['a delivery that is no number', 'InvalidReceipt', { items: [{ ...item, delivery: Number.NaN }] }],
    ['half a delivery', 'InvalidReceipt', { items: [{ ...item, delivery: 0.5 }] }],
    ['a lease below none', 'InvalidArgument', { type: 'Extend', leaseMs: -1 }],
    ['a lease that is no number', 'InvalidArgument', { type: 'Extend', leaseMs: Number.NaN }],
    ['a lease without end', 'InvalidArgument', { type: 'Extend', leaseMs: Number.POSITIVE_INFINITY }],
    ['a lease beyond 12 hours', 'InvalidArgument', { type: 'Extend', leaseMs: limits.leaseMsMax + 1 }],
    ['a pause that is no number', 'InvalidArgument', { type: 'Retry', delayMs: Number.NaN }],
    ['a pause in the past', 'InvalidArgument', { type: 'Retry', delayMs: -1 }],
    ['half a millisecond', 'InvalidArgument', { type: 'Retry', delayMs: 0.5 }],
    ['a pause beyond 14 days', 'InvalidArgument', { type: 'Retry', delayMs: limits.delayMsMax + 1 }],
    ['a dead-letter queue that is not there', 'InvalidArgument', { type: 'DeadLetter' }],
  ]
  it.each(wrong)('for %s', (_, id, change) => {
    const before = p.counts('q')
    const { error } = p.ask({ type: 'Ack', items: [item], ...change } as CommandOf<'Ack'>)
    expect(error?.id).toBe(id)
    expect(p.events).toEqual([])
    expect(p.counts('q')).toEqual(before)
  })
})
