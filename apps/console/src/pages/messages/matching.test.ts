import { addSettled } from '@kiroku/audit/filter'
import { expect, it } from 'vitest'
import { describeCount, describeStayed } from './matching.ts'

it('says how many match, how many can be settled, and why the others stay', () => {
  const sum = addSettled(
    { matched: 300, done: 290, stayed: { Inflight: 10 } },
    { matched: 12, done: 8, stayed: { Inflight: 3, changed: 1 } },
  )
  expect(describeCount('discard', sum, true)).toBe('312 messages match, 298 can be discarded.')
  expect(describeStayed(sum.stayed)).toEqual(['13 stay: in flight', '1 stays: changed since found'])
})

it('says that nothing matches, and that there are more than were counted', () => {
  expect(describeCount('recall', { matched: 0, done: 0, stayed: {} }, true)).toBe('No messages match.')
  expect(describeCount('recall', { matched: 1, done: 1, stayed: {} }, true)).toBe(
    '1 message matches, 1 can be recalled.',
  )
  expect(describeCount('recall', { matched: 100_000, done: 5, stayed: {} }, false)).toMatch(
    /^More than 100,000/,
  )
})
