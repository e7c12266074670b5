import { expect, it } from 'vitest'
import { ReadPace } from './ReadPace.ts'

it('requests more while it arrives quickly, up to a limit', () => {
  const pace = new ReadPace()
  const asked: number[] = []
  for (let n = 0; n < 8; n++) {
    const work = pace.workFor(1_000)
    asked.push(work)
    pace.took(50, work)
  }
  expect(asked).toEqual(asked.toSorted((a, b) => a - b))
  expect(asked.at(-1)).toBe(250_000)
  expect(pace.workFor(1)).toBe(50_000)
})

it('requests less when the record is read slowly, so that something arrives now and then', () => {
  const pace = new ReadPace()
  const perMs = 3
  for (let n = 0; n < 5; n++) {
    const work = pace.workFor(100)
    pace.took(work / perMs, work)
  }
  expect(pace.workFor(100)).toBeLessThan(2_500)
  pace.took(60_000, 20_000)
  expect(pace.workFor(100)).toBeGreaterThan(0)
})
