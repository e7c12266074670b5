import { expect, it } from 'vitest'
import { framesOf, type TraceEvent } from './framesOf.ts'

/** A task of the page's main thread, in µs. */
const task = (ts: number, dur: number, tdur: number, tid = 1): TraceEvent => ({
  name: 'RunTask',
  pid: 10,
  tid,
  ts,
  dur,
  tdur,
})

const frame = (ts: number, tid = 1): TraceEvent => ({ name: 'FireAnimationFrame', pid: 10, tid, ts, dur: 1 })

it('adds up what the main thread worked for each picture, and how long that lasted by the clock', () => {
  const frames = framesOf([
    task(1_000, 2_000, 1_000),
    task(10_000, 50_000, 4_000),
    frame(11_000),
    frame(12_000),
    task(70_000, 1_000, 1_000),
    frame(70_500),
  ])
  expect(frames).toEqual([
    { workMs: 5, lastedMs: 59 },
    { workMs: 1, lastedMs: 1 },
  ])
})

it('leaves out what is no picture yet, other threads, and tasks that the trace has no end of', () => {
  const { dur: _, ...unended } = task(0, 0, 0)
  const frames = framesOf([
    unended,
    task(5_000, 9_000, 9_000, 2),
    frame(6_000, 2),
    task(20_000, 1_000, 1_000),
    frame(20_100),
    task(30_000, 2_000, 2_000),
    frame(30_100),
    task(40_000, 7_000, 7_000),
  ])
  expect(frames.map(({ workMs }) => workMs)).toEqual([1, 2])
})

it('finds no picture where nothing was drawn', () => {
  expect(framesOf([task(0, 1, 1)])).toEqual([])
})
