import { describe, expect, it } from 'vitest'
import { CpuBudget } from './CpuBudget.ts'

/** A machine of two processors whose load the test sets. */
const machine = () => {
  let [now, own, idle, all] = [0, 0, 0, 0]
  const pace = new CpuBudget({ now: () => now, own: () => own, machine: () => ({ idle, all }) }, 1 / 12)
  return {
    pace,
    pass: (ms: number, use: { others: number; own?: number }) => {
      now += ms
      own += ms * (use.own ?? 0)
      all += 2 * ms
      idle += 2 * ms * (1 - use.others) - ms * (use.own ?? 0)
    },
  }
}

describe('the pace of a reader', () => {
  it('is unlimited while the machine is idle', () => {
    const { pace, pass } = machine()
    pass(300, { others: 0.2, own: 1 })
    expect(pace.restMs()).toBe(0)
  })

  it('leaves eleven twelfths of a processor to others while they use most of the machine', () => {
    const { pace, pass } = machine()
    pass(300, { others: 0.9 })
    expect(pace.restMs()).toBe(0)
    pass(20, { others: 0.9, own: 0.6 })
    expect(pace.restMs()).toBeCloseTo(124)
  })

  it('accounts for what the process did during pauses', () => {
    const { pace, pass } = machine()
    pass(300, { others: 0.9 })
    pace.restMs()
    pass(20, { others: 0.9, own: 0.6 })
    pass(pace.restMs(), { others: 0.9, own: 0.125 })
    expect(pace.restMs()).toBeCloseTo(186)
  })

  it('does not save up pauses, and checks after two seconds whether the machine is idle', () => {
    const { pace, pass } = machine()
    pass(10_000, { others: 0.9 })
    expect(pace.restMs()).toBe(0)
    pass(20, { others: 0.9, own: 0.6 })
    pass(pace.restMs(), { others: 0.9 })
    expect(pace.restMs()).toBeCloseTo(0)
    pass(1_000, { others: 0.9, own: 1 })
    expect(pace.restMs()).toBe(2_000)
    pass(2_000, { others: 0.9 })
    expect(pace.restMs()).toBe(2_000)
    pass(2_000, { others: 0.1 })
    expect(pace.restMs()).toBe(0)
  })

  it('takes its burst beyond its share, once', () => {
    let [now, own, all] = [0, 0, 0]
    const pace = new CpuBudget(
      { now: () => now, own: () => own, machine: () => ({ idle: 0, all }) },
      1 / 12,
      100,
    )
    ;[now, all] = [300, 600]
    expect(pace.restMs()).toBe(0)
    ;[now, all, own] = [400, 800, 100]
    expect(pace.restMs()).toBe(0)
    ;[now, all, own] = [500, 1_000, 200]
    expect(pace.restMs()).toBeCloseTo(1_000)
  })

  it('does not mistake its own work for that of others', () => {
    const { pace, pass } = machine()
    pass(300, { others: 0.4, own: 1 })
    expect(pace.restMs()).toBe(0)
  })

  it('does not throttle on a machine that reports no load', () => {
    const pace = new CpuBudget(
      { now: () => 1_000, own: () => 900, machine: () => ({ idle: 0, all: 0 }) },
      1 / 12,
    )
    expect(pace.restMs()).toBe(0)
  })
})
