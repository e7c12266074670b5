import type { Act } from '@kiroku/audit'
import { expect, it } from 'vitest'
import { actsOf, actsUpTo, choicesOf, joined } from './actLists.ts'

const act = (partition: number, seq: number, by = 'ada', event: Act['event'] = 'QueuePurged'): Act => ({
  partition,
  seq,
  index: 0,
  at: 1_000 * seq,
  event,
  queue: 'mail',
  by: { name: by, origin: 'cli' },
  before: {},
  after: {},
})

it('at a moment there is what each partition had on record then', () => {
  const acts = [act(1, 9), act(0, 8), act(1, 3), act(0, 2)]
  const reach = [
    { partition: 0, seq: 8 },
    { partition: 1, seq: 5 },
  ]
  expect(actsUpTo(acts, reach)).toEqual([act(0, 8), act(1, 3), act(0, 2)])
})

it('new acts come first, once', () => {
  const known = [act(0, 5), act(0, 2)]
  expect(joined(known, [act(0, 5)])).toBe(known)
  expect(joined(known, [act(1, 7), act(0, 5)])).toEqual([act(1, 7), act(0, 5), act(0, 2)])
})

it('filters by who and by what, and offers what there is', () => {
  const acts = [act(0, 3, 'ada'), act(0, 2, 'bo', 'QueueCreated'), act(0, 1, 'ada', 'QueueCreated')]
  expect(actsOf(acts, {})).toBe(acts)
  expect(actsOf(acts, { actor: 'ada', kind: 'QueueCreated' })).toEqual([acts[2]])
  expect(choicesOf(acts, ({ by }) => by.name)).toEqual([
    ['ada', 2],
    ['bo', 1],
  ])
})
