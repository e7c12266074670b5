import { dedupKeyBytes } from '@kiroku/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toEnd } from '../store/toEnd.ts'
import { DedupKeys } from './DedupKeys.ts'

const keyOf = (k: number): Uint8Array => {
  const key = new Uint8Array(dedupKeyBytes)
  // Keys that share their place in the table, and keys that differ in their last word alone.
  new DataView(key.buffer).setUint32(0, k & 0x0f0f_0f0f, true)
  new DataView(key.buffer).setUint32(12, k, true)
  return key
}

/** Keys that lie apart in the table, as digests do. */
const digestOf = (k: number): Uint8Array => {
  const key = new Uint8Array(dedupKeyBytes)
  new DataView(key.buffer).setUint32(0, Math.imul(k, 0x9e3779b1), true)
  return key
}

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ add: fc.nat(60) }) },
    { weight: 3, arbitrary: fc.record({ pass: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ expire: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ forget: fc.nat() }) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  ),
  { maxLength: 400 },
)

describe('the keys of a queue', () => {
  it('are found until they are over or forgotten, in the order of their time, whatever happens', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        let keys = new DedupKeys()
        const model = new Map<number, { number: number; at: number }>()
        let at = 100
        let number = 0
        for (const step of sequence) {
          if (step === 'restart') keys = toEnd(DedupKeys.restore(structuredClone(keys.copy())))
          else if ('pass' in step) at += step.pass
          else if ('add' in step) {
            keys.add(keyOf(step.add), 0, ++number, at)
            model.delete(step.add)
            model.set(step.add, { number, at })
          } else if ('expire' in step) {
            keys.expire(at - step.expire)
            for (const [k, known] of model) if (known.at <= at - step.expire) model.delete(k)
          } else {
            const all = [...model]
            const chosen = all[step.forget % Math.max(1, all.length)]
            if (chosen === undefined) continue
            keys.forget(chosen[1].number, chosen[1].at)
            model.delete(chosen[0])
          }
          expect(keys.size).toBe(model.size)
          for (let k = 0; k <= 60; k++) expect(keys.find(keyOf(k), 0, 0)).toBe(model.get(k)?.number ?? 0)
          const { numbers, ats } = keys.copy()
          expect([...numbers]).toEqual([...model.values()].map((known) => known.number))
          expect([...ats]).toEqual([...model.values()].map((known) => known.at))
        }
      }),
      { seed: 5, numRuns: 200 },
    )
  })

  it('give back the room of a burst, and lose nothing by that', () => {
    const keys = new DedupKeys()
    for (let k = 0; k < 10_000; k++) keys.add(keyOf(k), 0, k + 1, k)
    keys.expire(9_989)
    for (let k = 10_000; k < 10_050; k++) keys.add(keyOf(k), 0, k + 1, k)
    for (let k = 0; k < 10_050; k++) expect(keys.find(keyOf(k), 0, 0)).toBe(k < 9_990 ? 0 : k + 1)
    expect(keys.size).toBe(60)
  })

  it('are over at once when very many are, although they leave bit by bit', () => {
    const keys = new DedupKeys()
    const numbers = new Map<number, number>()
    const add = (k: number, number: number): void => {
      keys.add(digestOf(k), 0, number, number)
      numbers.set(k, number)
    }
    const check = (): void => {
      expect(keys.size).toBe(numbers.size)
      expect(keys.oldestAt).toBe(Math.min(...numbers.values()))
      expect([...keys.copy().numbers]).toEqual([...numbers.values()].sort((a, b) => a - b))
      for (let k = 0; k < 40_000; k++)
        if (keys.find(digestOf(k), 0, 0) !== (numbers.get(k) ?? 0)) expect.fail(`wrong for ${k}`)
    }
    for (let k = 0; k < 40_000; k++) add(k, k + 1)
    keys.forget(100, 100)
    numbers.delete(99)
    for (const upTo of [25_000, 25_000, 36_000]) {
      keys.expire(upTo)
      for (const [k, number] of numbers) if (number <= upTo) numbers.delete(k)
      keys.forget(upTo - 10, upTo - 10)
      check()
      // Keys that are over come again while the old ones are still in the way.
      for (let k = 20_000, first = keys.copy().numbers.at(-1)! + 1; k < 20_500; k++)
        add(k, first + k - 20_000)
      check()
    }
    keys.forget(39_000, 39_000)
    numbers.delete(38_999)
    for (let step = 0; step < 8; step++) {
      keys.expire(39_990)
      for (const [k, number] of numbers) if (number <= 39_990) numbers.delete(k)
      check()
    }
  })

  it('are over at the end of the window, to the millisecond', () => {
    const keys = new DedupKeys()
    keys.add(keyOf(1), 0, 7, 1_000)
    expect([keys.find(keyOf(1), 0, 999), keys.find(keyOf(1), 0, 1_000)]).toEqual([7, 0])
    keys.expire(999)
    expect(keys.size).toBe(1)
    keys.expire(1_000)
    expect([keys.size, keys.oldestAt]).toEqual([0, Number.POSITIVE_INFINITY])
  })
})
