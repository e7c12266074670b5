import { tallyFields, type AskedStretch, type Tally } from '@kiroku/audit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openIndexToWrite } from '../index/IndexDatabase.ts'
import { IndexWriter } from '../index/IndexWriter.ts'
import { partitionsOf, readHistory } from './readHistory.ts'

const hash = new Uint8Array(32)
const hourMs = 3_600_000
/** A time at which buckets of all tiers begin. */
const now = Date.parse('2026-11-21T12:00:00Z')
let writer: IndexWriter
let seq: number

beforeEach(() => {
  writer = new IndexWriter(openIndexToWrite(undefined))
  seq = 0
})
afterEach(() => writer.close())

/** A frame of partition 0 that does something to a queue, and to all. */
const happened = (queue: string, at: number, tally: Partial<Tally>, partition = 0): void => {
  const number = queue.length
  const id = writer.queue(partition, number)
  writer.nameQueue(id, queue, '{}', null)
  const counts = Float64Array.from(tallyFields, (field) => tally[field] ?? 0)
  for (const each of [id, writer.queue(partition, 0)]) writer.history.add(each, at, ++seq, counts)
  writer.reach(partition, { seq, at, hash, events: 0, began: 0, knownFrom: 0 })
  writer.flush()
}

const read = (asked: Partial<AskedStretch>, lastSeqs: readonly number[] = [seq]) =>
  readHistory(
    writer.database,
    { from: now - 90_000, to: now, buckets: 90, byQueue: false, ...asked },
    { now, lastSeqs: new Map(lastSeqs.entries()) },
  )

describe('the history of queues', () => {
  it('reports what happened in each second, to one queue and to all', () => {
    happened('mail', now - 5_000, { sent: 2, waiting: 2 })
    happened('mail', now - 4_500, { delivered: 1 })
    happened('other', now - 3_000, { sent: 1, waiting: 1 })
    const second = (ago: number) => now - ago * 1_000
    expect(read({ queue: 'mail' })).toEqual({
      ...{ from: second(90), to: now, bucketMs: 1_000, now, known: { from: 0, to: now } },
      buckets: [{ at: second(5), sent: 2, delivered: 1, waiting: 2 }],
      ...{ waitingBefore: 0, acts: [] },
    })
    expect(read({}).buckets).toEqual([
      { at: second(5), sent: 2, delivered: 1, waiting: 2 },
      { at: second(3), sent: 1, waiting: 1 },
    ])
    expect(read({ from: now - 4_000, queue: 'mail' }).waitingBefore).toBe(2)
    expect(read({ from: now - 2_000 }).waitingBefore).toBe(3)
    expect(read({ queue: 'nobody' }).buckets).toEqual([])
    expect(partitionsOf(writer.database, 'mail')).toEqual([0])
  })

  it('lists the administrative acts of the span, latest first', () => {
    happened('mail', now - 80_000, { sent: 1 })
    const acted = (at: number, queue: string) => {
      const act = {
        partition: 0,
        at,
        event: 'QueueConfigured',
        queue,
        by: { name: 'ann', origin: 'cli' },
      } as const
      writer.act({ ...act, seq: ++seq, index: 0, before: { leaseMs: 1 }, after: { leaseMs: 2 } })
      return { ...act, seq }
    }
    const acts = [acted(now - 95_000, 'mail'), acted(now - 60_000, 'mail'), acted(now - 30_000, 'other')]
    writer.flush()
    expect(read({}).acts).toEqual([acts[2], acts[1]])
    expect(read({ queue: 'mail' }).acts).toEqual([acts[1]])
  })

  it('adds up the parts of a queue that is spread over partitions', () => {
    happened('mail', now - 5_000, { sent: 2 })
    happened('mail', now - 5_000, { sent: 3 }, 1)
    expect(read({ queue: 'mail' }, [seq, seq]).buckets).toEqual([{ at: now - 5_000, sent: 5 }])
    expect(partitionsOf(writer.database, 'mail')).toEqual([0, 1])
  })

  it('counts in longer buckets when more time is requested, each message once', () => {
    for (let ago = 24; ago > 0; ago--) happened('mail', now - ago * hourMs + 1, { sent: 1, failed: 2 })
    for (const hours of [1, 6, 24]) {
      const { bucketMs, buckets, from, to } = read({ from: now - hours * hourMs, buckets: 12 })
      expect(bucketMs).toBe((hours * hourMs) / 12)
      expect([from, to]).toEqual([now - hours * hourMs, now])
      expect(buckets.reduce((n, { sent = 0 }) => n + sent, 0)).toBe(hours)
      expect(buckets.reduce((n, { failed = 0 }) => n + failed, 0)).toBe(2 * hours)
    }
  })

  it('keeps older counts in coarser slots, which shows in the length of the buckets', () => {
    happened('mail', now - 72 * hourMs, { sent: 1 })
    happened('mail', now - 2 * hourMs, { sent: 1 })
    happened('mail', now, { sent: 1 })
    const slots = writer.database.prepare('SELECT step, count(*) AS n FROM history GROUP BY step').all()
    // Of the queue and of all: the last second, the last hours, everything.
    expect(slots.map(({ step, n }) => [step, n])).toEqual([
      [1_000, 2],
      [10_000, 4],
      [300_000, 6],
    ])
    const long = read({ from: now - 72 * hourMs, to: now - 71 * hourMs, buckets: 500 })
    expect(long.bucketMs).toBe(300_000)
    expect(long.buckets).toEqual([{ at: now - 72 * hourMs, sent: 1 }])
  })

  it('lists the busiest queues first, with as many buckets as the limit allows', () => {
    happened('mail', now - 2_000, { sent: 1 })
    happened('orders', now - 2_000, { sent: 5 })
    const { queues, queuesTotal } = read({ byQueue: true })
    expect(queuesTotal).toBe(2)
    expect(queues).toEqual([
      { queue: 'orders', buckets: [{ at: now - 2_000, sent: 5 }] },
      { queue: 'mail', buckets: [{ at: now - 2_000, sent: 1 }] },
    ])
    for (let n = 1; n <= 60; n++) happened('q'.repeat(n + 10), now - 1_000, { sent: 1 })
    const room = read({ from: now - 500_000, buckets: 500, byQueue: true })
    expect(room.queuesTotal).toBe(62)
    expect(room.queues).toHaveLength(40)
  })

  it('knows no more than was read, and is up to date when all was read', () => {
    happened('mail', now - 60_000, { sent: 1 })
    expect(read({}, [seq]).known).toEqual({ from: 0, to: now })
    expect(read({}, [seq + 1]).known).toEqual({ from: 0, to: now - 60_000 })
    // A partition that was not read yet.
    expect(read({}, [seq, 3]).known).toEqual({ from: 0, to: 0 })
    expect(read({}, [seq, 0]).known).toEqual({ from: 0, to: now })
  })

  it('forgets what was trimmed from the log, and says from when on it knows', () => {
    writer.history.begin(writer.queue(0, 4), 7)
    happened('mail', now - 3 * hourMs, { sent: 1, waiting: 1 })
    happened('mail', now - 2 * hourMs, { sent: 1, waiting: 1 })
    const upTo = seq
    happened('mail', now - hourMs, { sent: 1 })
    expect(writer.trim(0, upTo)).toBe(now - 2 * hourMs + 300_000)
    writer.flush()
    const { buckets, waitingBefore } = read({ queue: 'mail', from: now - 4 * hourMs, buckets: 48 })
    expect(buckets).toEqual([{ at: now - hourMs, sent: 1 }])
    expect(waitingBefore).toBe(9)
    writer.clear(0)
    expect(read({ from: now - 3 * hourMs }).buckets).toEqual([])
  })
})
