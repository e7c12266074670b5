import type { RedriveDescription } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { describeDryRun, describeOutcome, progressOf } from './describeDryRun.ts'

const run: RedriveDescription = {
  task: 0,
  queue: 'dead',
  subscription: 'main',
  dryRun: true,
  state: 'completed',
  to: 'origin',
  filter: {},
  rateMax: 0,
  messagesMax: 0,
  startedAt: 0,
  endedAt: 0,
  note: '',
  by: { name: 'ada', origin: 'http' },
  selected: 312,
  moved: 298,
  targets: [
    { queue: 'orders', moved: 290 },
    { queue: 'billing', moved: 8 },
  ],
  skipped: { originGone: 9, leased: 5 },
  filtered: 0,
  left: 0,
}

it('spells out what matches, what goes where, and what stays and why', () => {
  expect(describeDryRun(run)).toEqual({
    match: '312 messages match',
    go: '298 go to orders (290), billing (8)',
    stay: [
      '9 stay: the queue or the subscription that they came from is gone; choose another',
      '5 stay: in flight now',
    ],
  })
})

it('says when nothing can be moved, and what a limit leaves', () => {
  const none = { ...run, selected: 1, moved: 0, targets: [], skipped: { leased: 1 } }
  expect(describeDryRun(none)).toEqual({
    match: '1 message matches',
    stay: ['1 stays: in flight now'],
  })
  const limited = { ...run, skipped: {}, targets: [{ queue: 'orders', moved: 298 }], left: 14 }
  expect(describeDryRun(limited)).toEqual({
    match: '312 messages match',
    go: '298 go to orders',
    stay: [],
    beyond: '14 are left by your limit',
  })
})

it('says when nothing matches', () => {
  const nothing = { ...run, selected: 0, moved: 0, targets: [], skipped: {} }
  expect(describeDryRun(nothing)).toEqual({ match: 'Nothing matches', stay: [] })
})

it('adds up what matches when all are requested', () => {
  const { selected: _, ...all } = run
  expect(describeDryRun(all).match).toBe('312 messages match')
})

it('a redrive that was cancelled says what went and what is left', () => {
  const cancelled = { ...run, dryRun: false, task: 3, state: 'cancelled', skipped: {}, left: 14 } as const
  expect(describeOutcome(cancelled)).toBe('298 messages moved to orders (290), billing (8), 14 left')
})

it('has progressed as far as the messages it reached, of the most it may move', () => {
  expect(progressOf({ ...run, left: 88 })).toEqual({ done: 312, total: 400 })
  expect(progressOf({ ...run, moved: 50, skipped: {}, left: 950, messagesMax: 100 })).toEqual({
    done: 50,
    total: 100,
  })
})
