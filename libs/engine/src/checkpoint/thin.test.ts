import { describe, expect, it } from 'vitest'
import { bytesOf, thin, type StoredCheckpoint } from './thin.ts'

const hour = 3_600_000
const week = 7 * 24 * hour
const roomy = { recordMs: week, bytesMax: Infinity }

/** What stands after one checkpoint an hour, each followed by thinning; `bytes` each. */
const hourly = (hours: number, bytes = 40_000_000): StoredCheckpoint[] => {
  let stored: StoredCheckpoint[] = []
  for (let h = 0; h <= hours; h++) stored = thin([...stored, { seq: h + 1, at: h * hour, bytes }], roomy)
  return stored
}

describe('checkpoints that are thinned', () => {
  it('number a dozen after a week of one an hour, not 168', () => {
    const stored = hourly(7 * 24)
    expect(stored.length).toBeLessThanOrEqual(12)
    expect(bytesOf(stored)).toBeLessThanOrEqual(480_000_000)
  })

  it('keep the one at the beginning of the record, and the last two', () => {
    const seqs = hourly(100).map(({ seq }) => seq)
    expect(seqs[0]).toBe(1)
    expect(seqs.slice(-2)).toEqual([100, 101])
  })

  it('leave the record no steps of more than an eighth of its age', () => {
    const stored = hourly(7 * 24)
    const steps = stored.slice(1).map(({ at }, i) => at - stored[i]!.at)
    expect(Math.max(...steps)).toBeLessThanOrEqual(week / 8)
  })

  it('stay as few where the record cannot be trimmed for a year', () => {
    expect(hourly(365 * 24).length).toBeLessThanOrEqual(20)
  })

  it('are the first and the last two where the record has no room for more', () => {
    const stored = Array.from({ length: 9 }, (_, i) => ({ seq: i + 1, at: i * 24 * hour, bytes: 10 }))
    const seqsIn = (bytesMax: number) => thin(stored, { recordMs: week, bytesMax }).map(({ seq }) => seq)
    expect(seqsIn(90)).toHaveLength(9)
    expect(seqsIn(89)).toEqual([1, 8, 9])
    expect(seqsIn(-1)).toEqual([1, 8, 9])
  })

  it('keep one on which the record goes on behind what a repair gave up', () => {
    const stored = [1, 20, 39, 57, 85, 92].map((seq) => ({ seq, at: seq, bytes: 10 }))
    const seqsIn = (bytesMax: number) =>
      thin(stored, { recordMs: week, bytesMax, givenUp: [{ from: 21, upTo: 39 }] }).map(({ seq }) => seq)
    expect(seqsIn(Infinity)).toEqual([1, 39, 85, 92])
    expect(seqsIn(0)).toEqual([1, 39, 85, 92])
  })

  it('are left alone where there are no more than two', () => {
    const two = [1, 2].map((seq) => ({ seq, at: seq, bytes: 10 }))
    expect(thin(two, { recordMs: week, bytesMax: 0 })).toEqual(two)
  })
})
