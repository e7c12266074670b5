import type { LogEvent } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { PastFold, type PastFrame } from './PastFold.ts'

const of = { queue: 1, sub: 5, name: 's', from: 1, retentionFrom: 'arrival' } as const

const enqueued = (first: number, count: number, dueAt = 0, queue = 1): LogEvent => ({
  type: 'Enqueued',
  queue,
  first,
  count,
  dueAt,
  bytes: 10 * count,
  producer: 'p',
  send: first,
})

const frame = (seq: number, events: LogEvent[], needs: PastFrame['needs'] = () => seq): PastFrame => ({
  seq,
  at: 1_000 + seq,
  events,
  needs,
})

const accept = (fold: PastFold, f: PastFrame) =>
  fold
    .accept(f)
    .flatMap(({ events, runs }) =>
      runs.map(({ first, count, seq, index }) => ({ events, first, count, seq, index })),
    )

describe('the past of a queue', () => {
  it('is what arrived without a delay, with the places of the bodies among those of the queue', () => {
    const carried: LogEvent = { type: 'BodiesCarried', queue: 1, numbers: [1, 2, 9, 1] }
    expect(
      accept(new PastFold(of), frame(7, [enqueued(10, 2), enqueued(3, 4, 0, 2), carried, enqueued(12, 1)])),
    ).toEqual([
      { events: 1, first: 10, count: 2, seq: 7, index: 0 },
      { events: 4, first: 12, count: 1, seq: 7, index: 5 },
    ])
  })

  it('ends with the event that opened the generation', () => {
    const fold = new PastFold(of)
    const opened = (sub: number): LogEvent =>
      ({ type: 'SubscriptionCreated', queue: 1, sub, name: 's', settings: {}, from: 1 }) as never
    expect(accept(fold, frame(1, [opened(4), enqueued(1, 1), opened(5), enqueued(2, 1)]))).toHaveLength(1)
    expect(fold.isOver).toBe(true)
  })

  it('begins in the middle of what arrived together', () => {
    expect(accept(new PastFold({ ...of, from: 3 }), frame(1, [enqueued(1, 2), enqueued(3, 2)]))).toEqual([
      { events: 2, first: 3, count: 2, seq: 1, index: 2 },
    ])
    expect(accept(new PastFold({ ...of, from: 3 }), frame(1, [enqueued(1, 4)]))).toEqual([
      { events: 1, first: 3, count: 2, seq: 1, index: 2 },
    ])
  })

  it('has delayed messages when their delay is over, however they were taken apart', () => {
    const fold = new PastFold(of)
    const elapsed = (...numbers: number[]): LogEvent => ({ type: 'DelayElapsed', queue: 1, numbers })
    expect(accept(fold, frame(1, [enqueued(1, 9, 5_000), enqueued(10, 1, 9_000)]))).toEqual([])
    expect(accept(fold, frame(2, [elapsed(4, 1), elapsed(10, 1)]))).toEqual([
      { events: 1, first: 4, count: 1, seq: 1, index: 3 },
      { events: 2, first: 10, count: 1, seq: 1, index: 9 },
    ])
    expect(accept(fold, frame(3, [elapsed(1, 3), elapsed(5, 5)]))).toEqual([
      { events: 1, first: 1, count: 3, seq: 1, index: 0 },
      { events: 2, first: 5, count: 5, seq: 1, index: 4 },
    ])
    expect(accept(fold, frame(4, [elapsed(4, 1)]))).toEqual([])
  })

  it('knows very many delayed messages, and lets go of those that are due', () => {
    const fold = new PastFold(of)
    const count = 20_000
    fold.accept(
      frame(
        1,
        Array.from({ length: count }, (_, i) => enqueued(i + 1, 1, 5_000)),
      ),
    )
    for (let n = count; n >= 1; n--)
      expect(accept(fold, frame(2, [{ type: 'DelayElapsed', queue: 1, numbers: [n, 1] }]))[0]!.first).toBe(n)
  })

  it('leaves out messages whose bodies are gone', () => {
    const needs = (place: number) => (place === 2 ? undefined : place === 4 ? 3 : 7)
    const [arrival] = new PastFold(of).accept(frame(7, [enqueued(1, 6)], needs))
    expect(arrival!.runs).toMatchObject([
      { first: 1, count: 2, index: 0, needsFrom: 7 },
      { first: 4, count: 3, index: 3, needsFrom: 3 },
    ])
  })

  it('has an edited body in the place of one that arrives behind it', () => {
    const edited = { type: 'BodyEdited', queue: 1, number: 1, bytes: 5, by: { name: 'a', origin: 't' } }
    expect(
      accept(new PastFold(of), frame(7, [enqueued(10, 2), edited as LogEvent, enqueued(12, 1)])),
    ).toEqual([
      { events: 1, first: 10, count: 2, seq: 7, index: 0 },
      { events: 3, first: 12, count: 1, seq: 7, index: 3 },
    ])
  })

  it('has of what was for one subscription alone only its own', () => {
    const fold = new PastFold(of)
    const opened = (sub: number, name: string): LogEvent =>
      ({ type: 'SubscriptionCreated', queue: 1, sub, name, settings: {}, from: 1 }) as never
    const forward = (first: number, only: number): LogEvent =>
      ({ type: 'ForwardReceived', queue: 1, first, count: 1, bytes: 10, only, enqueuedAt: [1] }) as never
    const arrivals = accept(
      fold,
      frame(1, [opened(3, 's'), opened(4, 'other'), forward(1, 3), forward(2, 4), forward(3, 0)]),
    )
    expect(arrivals.map(({ first, index }) => [first, index])).toEqual([[1, 0]])
  })
})
