import { limits, mergeTimes, type QueueTimes, timeBucket, timeBuckets, TimeCounts } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { describeQueues } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const withQueue = (): TestPartition => {
  const p = new TestPartition()
  p.create('q', {})
  return p
}
const timesOf = (p: TestPartition): QueueTimes | undefined =>
  describeQueues(p.state, p.state.queues.values(), p.now, p.own)[0]!.times
const itemOf = ({ queue, sub, delivery, numbers }: NonNullable<ReturnType<TestPartition['receive']>>) => ({
  queue,
  sub,
  delivery,
  numbers,
})
const figures = (count: number, ms: number) => ({ count, p50Ms: ms, p99Ms: ms })

describe('how long messages took', () => {
  it('is told of waiting from the send to the first delivery, and of processing up to the acknowledgement', () => {
    const p = withQueue()
    expect(timesOf(p)).toBeUndefined()
    p.send('q', 3)
    p.now += 10
    const first = p.receive('q', { max: 2 })!
    p.now += 4
    p.turn({ type: 'Ack', items: [itemOf(first)] })
    expect(timesOf(p)).toMatchObject({ waiting: figures(2, 10), processing: figures(2, 4) })
    p.receive('q')
    expect(timesOf(p)).toMatchObject({ waiting: { count: 3, p50Ms: 10, p99Ms: 14 } })
  })

  it('counts neither later deliveries as waiting, nor what is acknowledged twice', () => {
    const p = withQueue()
    p.send('q', 1)
    const first = p.receive('q')!
    p.turn({ type: 'Retry', items: [itemOf(first)] })
    p.now += 7
    const second = p.receive('q')!
    expect(second.attempts).toEqual([2])
    p.now += 3
    for (let i = 0; i < 2; i++) p.turn({ type: 'Ack', items: [itemOf(second)] })
    expect(timesOf(p)).toMatchObject({ waiting: figures(1, 0), processing: figures(1, 3) })
  })

  it('knows each delivery by itself where one ack names several', () => {
    const p = withQueue()
    p.send('q', 2)
    const first = p.receive('q', { max: 1 })!
    p.now += 5
    const second = p.receive('q', { max: 1 })!
    p.now += 5
    p.turn({ type: 'Ack', items: [itemOf(first), itemOf(second)] })
    expect(timesOf(p)!.processing).toMatchObject({ count: 2, p50Ms: 5, p99Ms: 10 })
  })

  it('is forgotten with its queue', () => {
    const p = withQueue()
    const { id } = p.state.names.get('q')!
    p.send('q', 1)
    p.receive('q')
    expect(p.own.times.of(id, p.now)).toBeDefined()
    p.turn({ type: 'DeleteQueue', queue: 'q', by: { name: 'test', origin: 'test' } })
    expect(p.own.times.of(id, p.now)).toBeUndefined()
  })

  it('is forgotten after little more than a minute', () => {
    const p = withQueue()
    p.send('q', 1)
    p.receive('q')
    p.now += 60_000
    expect(timesOf(p)).toBeDefined()
    p.now += limits.timeStretchMs
    expect(timesOf(p)).toBeUndefined()
  })

  it('is forgotten with the subscription', () => {
    const p = withQueue()
    const sub = p.state.names.get('q')!.subs[0]!
    p.send('q', 1)
    p.turn({ type: 'Ack', items: [itemOf(p.receive('q')!)] })
    expect(p.own.times.deliveries.of(sub, p.now)).toBeDefined()
    p.ok({ type: 'DeleteQueue', queue: 'q', by: { name: 'tester', origin: 'test' } })
    expect(p.own.times.deliveries.of(sub, p.now)).toBeUndefined()
  })

  it('stays nearly right for work that takes long, however many deliveries lie between', () => {
    const p = withQueue()
    p.send('q', 1)
    const long = p.receive('q')!
    const count = 3 * limits.timedDeliveriesMax
    for (let i = 1; i <= count; i++)
      p.own.times.delivered(p.state.subscriptions[0]!, long.delivery + i, p.now + i, [1], [p.now], 1)
    p.now += count
    p.turn({ type: 'Ack', items: [itemOf(long)] })
    const { p50Ms } = timesOf(p)!.processing!
    expect(p50Ms).toBeGreaterThanOrEqual(count)
    expect(p50Ms).toBeLessThanOrEqual(count * 1.125)
  })
})

describe('the figures', () => {
  it('are exact up to 15 ms and at most an eighth too much beyond', () => {
    for (const ms of [0, 1, 7, 8, 15, 16, 17, 31, 32, 1_000, 59_999, 3_600_000, 2 ** 30, 2 ** 31 - 1]) {
      const counts = new TimeCounts()
      counts.note(ms, 1)
      const { p50Ms } = TimeCounts.figures([counts])!
      expect(p50Ms).toBeGreaterThanOrEqual(ms)
      expect(p50Ms).toBeLessThanOrEqual(ms < 16 ? ms : ms * 1.125)
    }
    expect(timeBucket(-5)).toBe(0)
    expect(timeBucket(1e15)).toBe(timeBuckets - 1)
  })

  it('of several parts are those of all their messages', () => {
    const of = (...ms: number[]): QueueTimes => {
      const counts = new TimeCounts()
      for (const each of ms) counts.note(each, 1)
      return { waiting: TimeCounts.figures([counts])! }
    }
    expect(mergeTimes([of(1, 1, 2), undefined, of(9)])).toEqual(of(1, 1, 2, 9))
    expect(mergeTimes([undefined, undefined])).toBeUndefined()
  })

  it('are the same in whatever order the times come', () => {
    const times = [3, 0, 5_000, 60_000, 5_000, 2 ** 31 - 1]
    const expected = { count: 6, buckets: [0, 1, 3, 1, timeBucket(5_000), 2, timeBucket(60_000), 1, 231, 1] }
    for (const first of times.keys()) {
      const counts = new TimeCounts()
      for (const ms of [...times.slice(first), ...times.slice(0, first)]) counts.note(ms, 1)
      expect(TimeCounts.figures([counts])).toMatchObject(expected)
    }
  })

  it('of counts that begin again hold nothing of before', () => {
    const [counts, others] = [new TimeCounts(), new TimeCounts()]
    counts.note(1_000, 3)
    counts.clear()
    expect(TimeCounts.figures([counts])).toBeUndefined()
    counts.note(3, 2)
    others.note(7, 2)
    expect(TimeCounts.figures([counts, others])).toEqual({
      count: 4,
      p50Ms: 3,
      p99Ms: 7,
      buckets: [3, 2, 7, 2],
    })
  })
})
