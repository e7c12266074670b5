import type { LogEvent } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import type { History, StoredFrame } from './History.ts'
import { Checker } from './checker.ts'

const orders = 1
const deadLetters = 2

const nothing: History = { acknowledged: [], deliveries: [], acks: [] }

/** Frames of one partition, numbered and dated in their order; the epoch is 1 where none is given. */
const framesOf = (
  partition: number,
  frames: readonly {
    readonly events: readonly LogEvent[]
    readonly labels?: readonly (readonly [queue: number, labels: readonly number[]])[]
    readonly epoch?: number
  }[],
): StoredFrame[] =>
  frames.map(({ events, labels = [], epoch = 1 }, i) => ({
    partition,
    seq: i + 1,
    timeMs: 1_000 + i,
    epoch,
    events,
    labels: new Map(labels),
  }))

const enqueued = (first: number, count: number, send: number, group?: string): LogEvent => ({
  type: 'Enqueued',
  queue: orders,
  first,
  count,
  dueAt: 0,
  bytes: 10,
  producer: 'p',
  send,
  ...(group === undefined ? {} : { group }),
})
const delivered = (delivery: number, numbers: number[], queue = orders): LogEvent => ({
  type: 'Delivered',
  queue,
  sub: 0,
  delivery,
  leaseUntil: 9_000,
  leaseCap: 0,
  attemptsMax: 2,
  mode: 'push',
  numbers,
  consumer: 'c',
})
const acked = (numbers: number[], queue = orders): LogEvent => ({ type: 'Acked', queue, sub: 0, numbers })
const retried = (numbers: number[]): LogEvent => ({
  type: 'RetryScheduled',
  queue: orders,
  sub: 0,
  numbers,
  dueAt: 0,
  error: 'again',
})
const deadLettered = (numbers: number[], forward: number): LogEvent => ({
  type: 'DeadLettered',
  queue: orders,
  sub: 0,
  numbers,
  cause: 'retry',
  error: 'again',
  target: { partition: 1, queue: deadLetters },
  forward,
})
const arrived = (first: number, count: number, forward: number): LogEvent => ({
  type: 'ForwardReceived',
  queue: deadLetters,
  first,
  count,
  from: { partition: 0, queue: orders },
  forward,
  bytes: 10,
  enqueuedAt: Array.from({ length: count }, () => 1_000),
})

/** Sends 101, 102 and 103: the first two are consumed, the third becomes a dead letter and is consumed there. */
const source = framesOf(0, [
  { events: [enqueued(1, 2, 1), enqueued(3, 1, 2)], labels: [[orders, [101, 102, 103]]] },
  { events: [delivered(1, [1, 3])] },
  { events: [acked([1, 2]), retried([3, 1])] },
  { events: [delivered(2, [3, 1])] },
  { events: [deadLettered([3, 1], 1)] },
])
const target = framesOf(1, [
  { events: [arrived(1, 1, 1)], labels: [[deadLetters, [103]]] },
  { events: [delivered(1, [1, 1], deadLetters)] },
  { events: [acked([1, 1], deadLetters)] },
])
const history: History = {
  acknowledged: [101, 102, 103].map((label, i) => ({ label, partition: 0, queue: orders, number: i + 1 })),
  deliveries: [
    { partition: 0, queue: orders, delivery: 1, numbers: [1, 3] },
    { partition: 1, queue: deadLetters, delivery: 1, numbers: [1, 1] },
  ],
  acks: [{ partition: 0, queue: orders, sub: 0, numbers: [1, 2] }],
}

const check = (frames: readonly StoredFrame[], seen: History = history): Checker => {
  const checker = new Checker()
  for (const frame of frames) checker.frame(frame)
  checker.compare(seen)
  checker.finish()
  return checker
}

const kindsOf = (checker: Checker) => [...new Set(checker.violations.map(({ kind }) => kind))]

/** The same frames with another one behind them. */
const followedBy = (frames: readonly StoredFrame[], ...events: readonly LogEvent[]): StoredFrame[] => [
  ...frames,
  { ...frames.at(-1)!, seq: frames.at(-1)!.seq + 1, events, labels: new Map([[orders, [101]]]) },
]

describe('the checker', () => {
  it('finds nothing in a run without a fault, whichever partition is read first', () => {
    expect(check([...source, ...target]).violations).toEqual([])
    const checker = check([...target, ...source])
    expect(checker.violations).toEqual([])
    expect(checker.totals).toEqual({
      sent: 3,
      forwarded: 1,
      committed: 3,
      deadLettered: 1,
      discarded: 0,
      redriven: 0,
      erased: 0,
      edited: 0,
      deduplicated: 0,
    })
  })

  it('finds an acknowledged send that the log does not hold', () => {
    const lost = { label: 104, partition: 0, queue: orders, number: 4 }
    const seen = { ...history, acknowledged: [...history.acknowledged, lost] }
    expect(kindsOf(check([...source, ...target], seen))).toEqual(['lost'])
  })

  it('finds a send that was lost with the frame it was in', () => {
    const checker = check(source.slice(1), { ...nothing, acknowledged: history.acknowledged })
    expect(checker.counts.lost).toBeGreaterThanOrEqual(3)
  })

  it('finds a place that holds another body than the one that was acknowledged there', () => {
    const swapped = source.map((frame, i) =>
      i === 0 ? { ...frame, labels: new Map([[orders, [102, 101, 103]]]) } : frame,
    )
    expect(kindsOf(check([...swapped, ...target]))).toEqual(['lost'])
  })

  it('finds a dead letter that never arrived', () => {
    expect(kindsOf(check(source, nothing))).toEqual(['lost'])
  })

  it('finds a send that is stored twice', () => {
    const frames = followedBy(source, enqueued(4, 1, 1), delivered(3, [4, 1]), acked([4, 1]))
    expect(kindsOf(check([...frames, ...target]))).toEqual(['doubled'])
  })

  it('finds a dead letter that arrived twice', () => {
    const again = { events: [arrived(2, 1, 1)], labels: new Map([[deadLetters, [103]]]) }
    const frames = [...target, { ...target[0]!, seq: 4, ...again }]
    expect(kindsOf(check([...source, ...frames], nothing))).toEqual(['doubled', 'unfinished'])
  })

  it.each([
    ['delivered', delivered(3, [1, 1])],
    ['retried', retried([2, 1])],
    ['dead-lettered', deadLettered([1, 1], 2)],
    ['acknowledged again', acked([3, 1])],
  ])('finds a message that was final and is %s', (_, event) => {
    const { counts } = check([...followedBy(source, event), ...target], nothing)
    expect(counts.resurrected).toBe(1)
  })

  it('finds an acknowledgement that was confirmed and is not in the log', () => {
    const frames = source.map((frame, i) => (i === 2 ? { ...frame, events: [retried([1, 3])] } : frame))
    expect(kindsOf(check([...frames, ...target]))).toEqual(['resurrected', 'unfinished'])
  })

  it('finds a message that is leased twice', () => {
    const frames = source.map((frame, i) =>
      i === 1 ? { ...frame, events: [...frame.events, delivered(9, [2, 1])] } : frame,
    )
    expect(kindsOf(check([...frames, ...target]))).toEqual(['leasedTwice'])
  })

  it('finds a delivery that was seen and is not in the log', () => {
    const ghost = { partition: 0, queue: orders, delivery: 7, numbers: [2, 1] }
    const seen = { ...history, deliveries: [...history.deliveries, ghost] }
    expect(kindsOf(check([...source, ...target], seen))).toEqual(['unrecorded'])
  })

  it('finds a frame of an earlier owner behind a later one', () => {
    const frames = source.map((frame, i) => (i === 2 ? { ...frame, epoch: 2 } : frame))
    expect(kindsOf(check([...frames, ...target]))).toEqual(['stale'])
  })

  it('finds a message that was never consumed', () => {
    const frames = source.map((frame, i) =>
      i === 2 ? { ...frame, events: [acked([1, 1]), retried([3, 1])] } : frame,
    )
    expect(kindsOf(check([...frames, ...target], nothing))).toEqual(['unfinished'])
  })

  it('holds a message final for each subscription by itself', () => {
    const second: LogEvent = {
      type: 'SubscriptionCreated',
      queue: orders,
      sub: 1,
      name: 'audit',
      settings: {},
      from: 1,
      by: { name: 'local', origin: 'test' },
    }
    const toSecond = (event: LogEvent): LogEvent => ({ ...event, sub: 1 }) as LogEvent
    const entered = { events: [second, enqueued(1, 1, 1)], labels: [[orders, [101]]] } as const
    const first = { events: [delivered(1, [1, 1]), acked([1, 1])] }
    const own = { events: [toSecond(delivered(2, [1, 1])), toSecond(acked([1, 1]))] }
    expect(kindsOf(check(framesOf(0, [entered, first, own]), nothing))).toEqual([])
    expect(kindsOf(check(framesOf(0, [entered, first]), nothing))).toEqual(['unfinished'])
  })

  describe('in an ordered queue', () => {
    const created: LogEvent = {
      type: 'QueueCreated',
      queue: orders,
      name: 'orders',
      config: { groups: 'ordered' },
      by: { name: 'local', origin: 'test' },
    }
    const sent = {
      events: [created, enqueued(1, 2, 1, 'a'), enqueued(3, 1, 2, 'b')],
      labels: [[orders, [101, 102, 103]]] as const,
    }
    const after = (...events: readonly LogEvent[]): Checker =>
      check(framesOf(0, [sent, ...events.map((event) => ({ events: [event] }))]), nothing)

    it('finds nothing wrong with a group that goes out together or one after another', () => {
      expect(after(delivered(1, [1, 3]), acked([1, 3])).violations).toEqual([])
      const oneByOne = [delivered(1, [1, 1, 3, 1]), acked([1, 1]), delivered(2, [2, 1]), acked([2, 2])]
      expect(after(...oneByOne).violations).toEqual([])
    })

    it('finds a message that is delivered ahead of one that failed', () => {
      const checker = after(
        delivered(1, [1, 2]),
        retried([1, 1]),
        { type: 'Released', queue: orders, sub: 0, numbers: [2, 1], cause: 'client' },
        delivered(2, [2, 1]),
      )
      expect(checker.counts.outOfOrder).toBe(1)
    })

    describe('whose sends to a group were stored in another order than they were sent', () => {
      const frames = framesOf(0, [
        { events: [{ type: 'OwnerChanged', epoch: 1, node: 'lax-1', part: 0, of: 1 }] },
        { events: [created, enqueued(1, 1, 2, 'a')], labels: [[orders, [102]]] },
        { events: [enqueued(2, 1, 3, 'b')], labels: [[orders, [100]]] },
        { events: [enqueued(3, 1, 1, 'a')], labels: [[orders, [101]]] },
      ])
      const overtaken = (ordersSends: (owner: string) => boolean): number => {
        const checker = new Checker(ordersSends)
        for (const frame of frames) checker.frame(frame)
        return checker.counts.overtaken
      }

      it('finds the one that was overtaken', () => {
        expect(overtaken(() => true)).toBe(1)
      })

      it('finds nothing where the owner was of a release that did not promise it', () => {
        expect(overtaken((owner) => !owner.startsWith('lax-'))).toBe(0)
      })
    })

    it('finds a message that is delivered while another of its group is in flight', () => {
      expect(after(delivered(1, [1, 1]), delivered(2, [2, 1])).counts.outOfOrder).toBe(1)
    })
  })

  it('finds an unreadable message that no acknowledgement named', () => {
    const frames = framesOf(0, [
      { events: [enqueued(1, 2, 1)], labels: [[orders, [-1, -1]]] },
      { events: [delivered(1, [1, 2]), acked([1, 2])] },
    ])
    const place = { partition: 0, queue: orders }
    const [one, two] = [101, 102].map((label, i) => ({ label, ...place, number: i + 1 }))
    expect(kindsOf(check(frames, { ...nothing, acknowledged: [one!, two!] }))).toEqual([])
    expect(kindsOf(check(frames, { ...nothing, acknowledged: [one!] }))).toEqual(['doubled'])
    const both = { ...nothing, acknowledged: [one!, { ...two!, number: 1 }] }
    expect(kindsOf(check(frames, both))).toEqual(['lost', 'doubled'])
  })

  it('takes the label of a message behind an edited one from its own body', () => {
    const edited: LogEvent = {
      type: 'BodyEdited',
      queue: orders,
      number: 1,
      bytes: 5,
      by: { name: 'local', origin: 'test' },
    }
    const frames = framesOf(0, [
      { events: [enqueued(1, 1, 1)], labels: [[orders, [101]]] },
      { events: [edited, enqueued(2, 1, 2)], labels: [[orders, [101, 102]]] },
      { events: [delivered(1, [1, 2]), acked([1, 2])] },
    ])
    const acknowledged = [101, 102].map((label, i) => ({
      label,
      partition: 0,
      queue: orders,
      number: i + 1,
    }))
    expect(kindsOf(check(frames, { ...nothing, acknowledged }))).toEqual([])
  })
})
