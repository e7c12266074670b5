import { describe, expect, it } from 'vitest'
import type { StoredFrame } from './History.ts'
import { KillsInFlight } from './inFlight.ts'

const frame = (timeMs: number, epoch: number, send: number): StoredFrame => ({
  partition: 0,
  seq: timeMs,
  timeMs,
  epoch,
  labels: new Map(),
  events: [{ type: 'Enqueued', queue: 1, first: send, count: 1, dueAt: 0, bytes: 1, producer: 'p', send }],
})

const count = (frames: readonly StoredFrame[], answers: readonly [send: number, answeredAtMs: number][]) => {
  const kills = new KillsInFlight()
  for (const each of frames) kills.frame(each)
  return kills.count(
    [10_000, 20_000],
    answers.map(([send, answeredAtMs]) => ({ producer: 'p', send, answeredAtMs })),
  )
}

describe('a kill with appends in flight', () => {
  it('is one whose last frame has a send that only a later owner answered', () => {
    expect(count([frame(9_999, 1, 1), frame(10_900, 2, 2)], [[1, 11_000]])).toBe(1)
  })

  it('counts once, however many sends had no answer', () => {
    const frames = [frame(9_998, 1, 1), frame(9_999, 1, 2), frame(10_900, 2, 3)]
    expect(
      count(frames, [
        [1, 11_000],
        [2, 11_000],
      ]),
    ).toBe(1)
  })

  it('is not one whose sends were all answered', () => {
    expect(count([frame(9_999, 1, 1), frame(10_900, 2, 2)], [[1, 10_010]])).toBe(0)
  })

  it('is not one that left the ownership alone: a slow answer has another cause', () => {
    expect(count([frame(9_999, 1, 1), frame(10_900, 1, 2)], [[1, 11_000]])).toBe(0)
  })

  it('is not one whose unanswered sends reached no store before it', () => {
    expect(count([frame(10_900, 2, 1)], [[1, 11_000]])).toBe(0)
  })

  it('is the first kill behind the frame, not a later one', () => {
    expect(count([frame(9_999, 1, 1), frame(19_999, 2, 2), frame(20_900, 3, 3)], [[1, 30_000]])).toBe(1)
  })
})
