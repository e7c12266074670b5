import { describe, expect, it } from 'vitest'
import { Pace, type Processors } from './Pace.ts'

/** A machine of two processors whose use the test says. */
const machine = () => {
  let now = 0
  let seen: Processors = { idle: 0, all: 0, own: 0 }
  const pace = new Pace(
    () => seen,
    () => now,
    1 / 12,
  )
  return {
    pace,
    pass: (ms: number, { others, own = 0 }: { others: number; own?: number }) => {
      now += ms
      const all = 2 * ms
      const used = all * others + ms * own
      seen = { idle: seen.idle + all - used, all: seen.all + all, own: seen.own + ms * own }
    },
  }
}

describe('the pace of the auditor', () => {
  it('is as fast as it can be while the machine has time', () => {
    const { pace, pass } = machine()
    pass(300, { others: 0.2, own: 1 })
    expect(pace.restMs()).toBe(0)
  })

  it('leaves eleven twelfths of its time to others while these use most of the machine', () => {
    const { pace, pass } = machine()
    pass(300, { others: 0.9 })
    pace.restMs()
    pace.rested()
    pass(20, { others: 0.9, own: 0.1 })
    expect(pace.restMs()).toBeCloseTo(220)
    pace.rested()
    pass(10_000, { others: 0.9, own: 0.1 })
    expect(pace.restMs()).toBe(2_000)
  })

  it('does not take its own work for that of others', () => {
    const { pace, pass } = machine()
    pass(300, { others: 0.4, own: 1 })
    expect(pace.restMs()).toBe(0)
  })

  it('does not spare a machine that does not tell', () => {
    const pace = new Pace(
      () => ({ idle: 0, all: 0, own: 0 }),
      () => 1_000,
      1 / 12,
    )
    expect(pace.restMs()).toBe(0)
  })
})
