import { describe, expect, it } from 'vitest'
import type { SeenDelivery, StoredFrame } from './History.ts'
import { KillsInFlight, type Kill } from './inFlight.ts'

const frame = (timeMs: number, epoch: number, send: number): StoredFrame => ({
  partition: 0,
  seq: timeMs,
  timeMs,
  epoch,
  labels: new Map(),
  events: [{ type: 'Enqueued', queue: 1, first: send, count: 1, dueAt: 0, bytes: 1, producer: 'p', send }],
})

const delivery = (timeMs: number, epoch: number, number: number): StoredFrame => ({
  ...frame(timeMs, epoch, number),
  events: [
    {
      type: 'Delivered',
      queue: 1,
      sub: 0,
      delivery: number,
      leaseUntil: 0,
      leaseCap: 0,
      attemptsMax: 1,
      mode: 'push',
      numbers: [1, 1],
      consumer: 'c',
    },
  ],
})

const kills: readonly Kill[] = [
  { what: 'node', atMs: 10_000 },
  { what: 'server', atMs: 20_000 },
]

/** When the kills happened that count. */
const counted = (
  frames: readonly StoredFrame[],
  answers: readonly [send: number, epoch: number, answeredAtMs: number][],
  seen: readonly SeenDelivery[] = [],
) => {
  const inFlight = new KillsInFlight()
  for (const each of frames) inFlight.frame(each)
  inFlight.seen(seen)
  const late = answers.map(([send, epoch, answeredAtMs]) => ({ producer: 'p', send, epoch, answeredAtMs }))
  return [...inFlight.among(kills, late)].map(({ atMs }) => atMs)
}

describe('a kill with appends in flight', () => {
  it('is one of a node whose last frame has a send that only the next owner answered', () => {
    expect(counted([frame(9_999, 1, 1), frame(10_900, 2, 2)], [[1, 2, 10_400]])).toEqual([10_000])
  })

  it('is not one of a node that had answered, however late the answer was read', () => {
    expect(counted([frame(9_999, 1, 1), frame(10_900, 2, 2)], [[1, 1, 10_400]])).toEqual([])
  })

  it('includes a node whose last frame has a delivery that reached no one', () => {
    const frames = [delivery(9_998, 1, 1), delivery(9_999, 1, 2), frame(10_900, 2, 1)]
    const first = { partition: 0, queue: 1, delivery: 1, numbers: [1, 1] }
    expect(counted(frames, [], [first])).toEqual([10_000])
    expect(counted(frames, [], [first, { ...first, delivery: 2 }])).toEqual([])
  })

  it('is one of the server whose last frame has a send that was answered only after it was back', () => {
    expect(counted([frame(19_999, 1, 1), frame(20_900, 2, 2)], [[1, 1, 20_500]])).toEqual([20_000])
    expect(counted([frame(19_999, 1, 1), frame(20_900, 2, 2)], [[1, 1, 20_010]])).toEqual([])
  })

  it('counts once, however many sends had no answer', () => {
    const frames = [frame(9_998, 1, 1), frame(9_999, 1, 2), frame(10_900, 2, 3)]
    const answers: [number, number, number][] = [
      [1, 2, 11_000],
      [2, 2, 11_000],
    ]
    expect(counted(frames, answers)).toEqual([10_000])
  })

  it('is not one that left the ownership alone: a slow answer has another cause', () => {
    expect(counted([frame(19_999, 1, 1), frame(20_900, 1, 2)], [[1, 1, 21_000]])).toEqual([])
  })

  it('is not one whose unanswered sends reached no store before it', () => {
    expect(counted([frame(10_900, 2, 1)], [[1, 2, 11_000]])).toEqual([])
  })

  it('is the first kill behind the frame, not a later one', () => {
    const frames = [frame(9_999, 1, 1), frame(19_999, 2, 2), frame(20_900, 3, 3)]
    expect(counted(frames, [[1, 2, 30_000]])).toEqual([10_000])
  })
})
