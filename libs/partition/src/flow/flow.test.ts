import { describe, expect, it } from 'vitest'
import type { PlannedDelivery } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }

const withQueue = (config = {}): TestPartition => {
  const p = new TestPartition()
  p.create('q', config)
  return p
}

/** Messages that come to somebody who asks for all he can get, at the end of every so many ms. */
const perStep = (p: TestPartition, steps: number, ms: number): number[] =>
  Array.from({ length: steps }, () => {
    p.pass(ms)
    return p.receive('q', { max: 1_000 })?.attempts.length ?? 0
  })

const flowOf = (p: TestPartition) => p.own.of(p.state.queues.get(1)!.subs[0]!).flow

describe('a rate', () => {
  it('gives so many messages a second, evenly, and costs no attempt', () => {
    const p = withQueue({ rateMax: 5 })
    p.send('q', 20)
    expect(perStep(p, 10, 200)).toEqual(Array(10).fill(1))
    expect(p.counts('q')).toMatchObject({ available: 10, inflight: 10, redelivered: 0 })
  })
  it('saves up to one second’s worth while nobody asks', () => {
    const p = withQueue({ rateMax: 5 })
    p.send('q', 20)
    expect(perStep(p, 1, 60_000)).toEqual([5])
    expect(perStep(p, 3, 1_000)).toEqual([5, 5, 5])
  })
  it('that does not divide a second is kept to over many of them', () => {
    const p = withQueue({ rateMax: 7 })
    p.send('q', 1_000)
    const got = perStep(p, 3_000, 10).reduce((sum, n) => sum + n)
    expect(got).toBe(7 * 30)
  })
  it('wakes a waiting receive when its next message may go, not before', () => {
    const p = withQueue({ rateMax: 4 })
    p.send('q', 4)
    const [a, b] = [p.poll('q', { waitMs: 10_000 }), p.poll('q', { waitMs: 10_000 })]
    p.pass(249)
    expect(p.got(a)).toBeUndefined()
    p.pass(1)
    expect([p.got(a), p.got(b)]).toEqual([[1], undefined])
    p.pass(250)
    expect(p.got(b)).toEqual([2])
  })
  it('wakes the others when the first of those that wait goes away', () => {
    const p = withQueue({ rateMax: 1 })
    p.send('q', 1)
    p.poll('q', { waitMs: 10_000, poll: 'mine' })
    const short = p.poll('q', { waitMs: 500 })
    const long = p.poll('q', { waitMs: 10_000 })
    p.turn({ type: 'CancelReceive', poll: 'mine' })
    p.pass(999)
    expect([p.got(short), p.got(long)]).toEqual(['nothing', undefined])
    p.pass(1)
    expect(p.got(long)).toEqual([1])
  })
  it('lets a receive end empty at the end of its wait', () => {
    const p = withQueue({ rateMax: 1 })
    p.send('q', 1)
    const poll = p.poll('q', { waitMs: 300 })
    p.pass(299)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toBe('nothing')
  })
  it('fills a batch that waits for more, and closes it when it is full', () => {
    const p = withQueue({ rateMax: 10 })
    p.send('q', 100)
    const poll = p.poll('q', { max: 5, waitMs: 20_000, batchWaitMs: 5_000 })
    p.pass(499)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toEqual([1, 2, 3, 4, 5])
  })
  it('closes a batch that it cannot fill in time, counting from its first message that might go', () => {
    const p = withQueue({ rateMax: 2 })
    p.send('q', 100)
    p.receive('q')
    const poll = p.poll('q', { max: 2, waitMs: 20_000, batchWaitMs: 300 })
    p.pass(799)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toEqual([1])
  })
  it('does not hold up a batch for more than a second’s worth, which never comes', () => {
    const p = withQueue({ rateMax: 2 })
    p.send('q', 100)
    const poll = p.poll('q', { max: 10, waitMs: 20_000, batchWaitMs: 20_000 })
    p.pass(1_000)
    expect(p.got(poll)).toEqual([1, 2])
  })
  it('of very many gives them in portions, a hundredth of a second’s worth each', () => {
    const p = withQueue({ rateMax: 10_000, batchBytes: 1_000_000 })
    for (let i = 0; i < 5; i++) p.send('q', 1_000)
    const polls = Array.from({ length: 4 }, () => p.poll('q', { max: 1_000, waitMs: 1_000 }))
    p.pass(40)
    expect(polls.map((poll) => p.got(poll)?.length)).toEqual([100, 100, 100, 100])
  })
  it('starts from nothing with every owner, so that a change of owner allows no more', () => {
    const p = withQueue({ rateMax: 5 })
    p.send('q', 20)
    p.pass(60_000)
    p.record(
      { type: 'OwnerChanged', epoch: 2, node: 'n', part: 1, of: 1 },
      { type: 'ClockResumed', now: p.now, gapMs: 10 },
    )
    expect(p.receive('q')).toBeUndefined()
    expect(perStep(p, 2, 200)).toEqual([1, 1])
  })
  it('takes effect while receives wait, and stops to when it is taken away', () => {
    const p = withQueue()
    p.configure('q', { rateMax: 1 })
    p.send('q', 50)
    const [a, b] = [p.poll('q', { max: 1, waitMs: 60_000 }), p.poll('q', { waitMs: 60_000 })]
    p.pass(1_000)
    expect([p.got(a), p.got(b)]).toEqual([[1], undefined])
    p.configure('q', { rateMax: 0 })
    expect(p.got(b)).toHaveLength(10)
    expect(flowOf(p)).toBeUndefined()
  })
  it('can be another for each subscription', () => {
    const p = withQueue({ rateMax: 2 })
    const subscription = 'slow'
    p.ok({ type: 'CreateSubscription', queue: 'q', subscription, settings: { rateMax: 1 }, by })
    p.send('q', 10)
    p.pass(1_000)
    expect(p.receive('q')!.numbers).toEqual([1, 2])
    expect(p.receive('q', { subscription })!.numbers).toEqual([1, 1])
  })
})

describe('a limit of messages in flight', () => {
  it('lets no more go out, and goes on with every one that is settled', () => {
    const p = withQueue({ inflightMax: 3 })
    p.send('q', 20)
    const first = p.receive('q')!
    expect(first.numbers).toEqual([1, 3])
    expect(p.receive('q')).toBeUndefined()
    const waiting = p.poll('q', { waitMs: 10_000 })
    p.settle('Ack', first, { numbers: [1, 2] })
    expect(p.got(waiting)).toEqual([4, 5])
    expect(p.counts('q')).toMatchObject({ inflight: 3, redelivered: 0 })
  })
  it.each(['Retry', 'Release'] as const)('has room again after a %s', (verdict) => {
    const p = withQueue({ inflightMax: 1, retry: { kind: 'fixed', delayMs: 50 } })
    p.send('q', 2)
    const d = p.receive('q')!
    const waiting = p.poll('q', { waitMs: 10_000 })
    p.settle(verdict, d)
    expect(p.got(waiting)).toEqual([verdict === 'Retry' ? 2 : 1])
  })
  it('has room again when a lease ends, when the queue is purged, or when the limit is raised', () => {
    const p = withQueue({ inflightMax: 1, leaseMs: 100, retry: { kind: 'fixed', delayMs: 10_000 } })
    p.send('q', 5)
    p.receive('q')
    const [a, b, c] = [1, 2, 3].map(() => p.poll('q', { waitMs: 10_000 })) as [number, number, number]
    p.pass(100)
    expect([p.got(a), p.got(b)]).toEqual([[2], undefined])
    p.configure('q', { inflightMax: 2 })
    expect([p.got(b), p.got(c)]).toEqual([[3], undefined])
    p.ok({ type: 'PurgeQueue', queue: 'q', by })
    p.send('q', 1)
    expect(p.got(c)).toEqual([6])
  })
  it('closes a batch that it lets grow no further', () => {
    const p = withQueue({ inflightMax: 2 })
    p.send('q', 20)
    expect(p.got(p.poll('q', { max: 10, waitMs: 10_000, batchWaitMs: 5_000 }))).toEqual([1, 2])
  })
  it('closes the next batch a while after there is room, and that with what there is room for', () => {
    const p = withQueue({ inflightMax: 4 })
    p.send('q', 20)
    const d = p.receive('q')!
    const poll = p.poll('q', { max: 10, waitMs: 60_000, batchWaitMs: 1_000 })
    p.pass(5_000)
    p.settle('Ack', d, { numbers: [1] })
    p.pass(999)
    expect(p.got(poll)).toBeUndefined()
    p.settle('Ack', d, { numbers: [2] })
    p.pass(1)
    expect(p.got(poll)).toEqual([5, 6])
  })
  it('that is lowered lets what is in flight be, and waits', () => {
    const p = withQueue()
    p.send('q', 20)
    const d = p.receive('q')!
    p.configure('q', { inflightMax: 9 })
    p.settle('Ack', d, { numbers: [1] })
    expect(p.receive('q')).toBeUndefined()
    p.settle('Ack', d, { numbers: [2] })
    expect(p.receive('q')!.numbers).toEqual([11, 1])
  })
})

describe('a limit of deliveries in flight', () => {
  const all = (d: PlannedDelivery | undefined): number => d?.attempts.length ?? 0
  it('lets no further batch go out until all of one is settled', () => {
    const p = withQueue({ concurrencyMax: 2 })
    p.send('q', 100)
    const [a] = [p.receive('q')!, p.receive('q')!]
    expect(p.receive('q')).toBeUndefined()
    const waiting = p.poll('q', { waitMs: 10_000 })
    p.settle('Ack', a, { numbers: [1, 2, 3, 4, 5, 6, 7, 8, 9] })
    expect(p.got(waiting)).toBeUndefined()
    p.settle('Ack', a, { numbers: [10] })
    expect(p.got(waiting)).toHaveLength(10)
  })
  it('counts those that are out already when it is set', () => {
    const p = withQueue()
    p.send('q', 100)
    const [a, b] = [p.receive('q')!, p.receive('q')!]
    p.configure('q', { concurrencyMax: 2 })
    expect(p.receive('q')).toBeUndefined()
    p.settle('Ack', a)
    expect(all(p.receive('q'))).toBe(10)
    p.settle('Ack', b)
    expect(all(p.receive('q'))).toBe(10)
    expect(p.receive('q')).toBeUndefined()
  })
  it('is the same for the next owner', () => {
    const p = withQueue({ concurrencyMax: 2 })
    p.send('q', 100)
    const a = p.receive('q')!
    p.receive('q')
    p.settle('Ack', a, { numbers: [1] })
    const next = p.fork()
    expect(next.receive('q')).toBeUndefined()
    next.settle('Ack', a)
    expect(all(next.receive('q'))).toBe(10)
  })
  it('does not mistake a message that expires untouched for one of a batch', () => {
    const p = withQueue({ concurrencyMax: 1, retentionMs: 1_000, leaseMs: 60_000 })
    p.send('q', 10)
    const d = p.receive('q')!
    p.settle('Ack', d, { numbers: [1, 2, 3] })
    p.send('q', 3)
    p.pass(2_000)
    p.send('q', 1)
    expect(p.counts('q')).toMatchObject({ inflight: 7, discarded: 3 })
    expect(p.receive('q')).toBeUndefined()
  })
})

describe('limits together', () => {
  it('hold each, and whoever waits is served as soon as all of them allow it', () => {
    const p = withQueue({ rateMax: 10, inflightMax: 4, concurrencyMax: 2 })
    p.send('q', 100)
    p.pass(1_000)
    const a = p.receive('q', { max: 3 })!
    const b = p.receive('q', { max: 3 })!
    expect([a.numbers, b.numbers]).toEqual([
      [1, 3],
      [4, 1],
    ])
    const waiting = p.poll('q', { waitMs: 10_000 })
    p.settle('Ack', a, { numbers: [1] })
    expect(p.got(waiting)).toBeUndefined()
    p.settle('Ack', b)
    expect(p.got(waiting)).toEqual([5, 6])
  })
  it('do not bring a paused queue to deliver', () => {
    const p = withQueue({ rateMax: 10, inflightMax: 5 })
    p.send('q', 10)
    p.ok({ type: 'PauseDelivery', queue: 'q', by })
    const poll = p.poll('q', { waitMs: 10_000 })
    p.pass(5_000)
    expect(p.got(poll)).toBeUndefined()
    p.ok({ type: 'ResumeDelivery', queue: 'q', by })
    expect(p.got(poll)).toEqual([1, 2, 3, 4, 5])
  })
})

describe('a rate that changes', () => {
  it('leaves no more in the bucket than a second of the new one', () => {
    const p = withQueue({ rateMax: 100 })
    p.send('q', 300)
    expect(perStep(p, 1, 60_000)).toEqual([100])
    p.pass(1_000)
    p.configure('q', { rateMax: 10 })
    expect(perStep(p, 1, 1)).toEqual([10])
  })
  it('begins with an empty bucket when there was none for a while', () => {
    const p = withQueue({ rateMax: 10, inflightMax: 1_000 })
    p.send('q', 100)
    expect(perStep(p, 1, 60_000)).toEqual([10])
    p.pass(1_000)
    p.send('q')
    p.configure('q', { rateMax: 0 })
    p.pass(60_000)
    p.configure('q', { rateMax: 10 })
    expect(perStep(p, 2, 100)).toEqual([1, 1])
  })
})
