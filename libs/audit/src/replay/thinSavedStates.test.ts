import { expect, it } from 'vitest'
import { thinSavedStates } from './thinSavedStates.ts'

const notes = (...works: number[]) => works.map((work, i) => ({ seq: i + 1, work, bytes: 10 }))

it('nothing goes while there is room', () => {
  expect(thinSavedStates([{ partition: 0, notes: notes(1, 2, 3) }], 30)).toEqual([])
})

it('what is closest to others goes first, and the newest stays', () => {
  const all = [{ partition: 0, notes: notes(100, 110, 200, 300, 301) }]
  expect(thinSavedStates(all, 40)).toEqual([{ partition: 0, seq: 2 }])
  expect(thinSavedStates(all, 30).map(({ seq }) => seq)).toEqual([2, 4])
  expect(thinSavedStates(all, 10).map(({ seq }) => seq)).not.toContain(5)
})

it('the limit covers all partitions together', () => {
  const dense = { partition: 0, notes: notes(1, 2, 3, 4) }
  const thin = { partition: 1, notes: notes(100, 200) }
  expect(thinSavedStates([dense, thin], 40).every(({ partition }) => partition === 0)).toBe(true)
})

it('one that is too large by itself goes as well', () => {
  expect(thinSavedStates([{ partition: 0, notes: notes(1) }], 5)).toEqual([{ partition: 0, seq: 1 }])
})

it('there are never more than the limit', () => {
  const all = [{ partition: 0, notes: notes(100, 110, 200, 300) }]
  expect(thinSavedStates(all, Infinity, 3)).toEqual([{ partition: 0, seq: 2 }])
})

it('near the end they stay closer together than long ago', () => {
  const all = [{ partition: 0, notes: notes(...Array.from({ length: 1_000 }, (_, i) => i * 50_000)) }]
  const gone = new Set(thinSavedStates(all, Infinity, 500).map(({ seq }) => seq))
  const left = (from: number, to: number) =>
    all[0]!.notes.filter(({ seq }) => seq > from && seq <= to && !gone.has(seq))
  expect(left(900, 1_000).length).toBeGreaterThan(2 * left(0, 100).length)
})
