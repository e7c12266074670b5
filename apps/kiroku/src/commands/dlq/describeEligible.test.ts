import type { RedriveDescription } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { describeEligible, eligibleOf } from './describeEligible.ts'

const run = (change: Partial<RedriveDescription>): RedriveDescription => ({
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
  by: { name: 'ada', origin: 'cli' },
  moved: 298,
  targets: [{ queue: 'orders', moved: 298 }],
  skipped: { originGone: 1, leased: 13 },
  filtered: 0,
  left: 0,
  selected: 312,
  ...change,
})

it('a dry run says what matches, what can go, and what stays and why', () => {
  expect(describeEligible(eligibleOf('dead', [run({})])).join('\n')).toBe(
    `312 match, 298 eligible, 14 not, because
  1   the queue or the subscription that they came from is gone; name one with --to
  13  in flight now
  to  orders  298`,
  )
})

it('parts of a selection are added up', () => {
  const second = run({
    moved: 2,
    selected: 3,
    skipped: { leased: 1 },
    targets: [{ queue: 'mail', moved: 2 }],
  })
  expect(eligibleOf('dead', [run({}), second])).toEqual({
    queue: 'dead',
    match: 315,
    eligible: 300,
    stay: { originGone: 1, leased: 14 },
    beyond: 0,
    targets: [
      { queue: 'orders', count: 298 },
      { queue: 'mail', count: 2 },
    ],
  })
})

it('a filter that matches nothing is reported too', () => {
  expect(describeEligible(eligibleOf('dead', []))).toEqual(['0 match, 0 eligible, 0 not'])
})
