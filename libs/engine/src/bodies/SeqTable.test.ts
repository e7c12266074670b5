import { expect, it } from 'vitest'
import { SeqTable } from './SeqTable.ts'

it('has what was set last, whatever comes and goes around it', () => {
  const table = new SeqTable()
  const expected = new Map<number, number>()
  let x = 7
  const roll = (sides: number): number => {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0
    return (x >>> 8) % sides
  }
  for (let step = 0; step < 50_000; step++) {
    const seq = 2 ** 40 + roll(2_000)
    if (roll(3) === 0) {
      table.delete(seq)
      expected.delete(seq)
    } else {
      table.set(seq, step + 1)
      expected.set(seq, step + 1)
    }
    if (table.get(seq) !== (expected.get(seq) ?? 0)) expect.fail(`step ${step}: ${table.get(seq)}`)
  }
  for (let seq = 2 ** 40; seq < 2 ** 40 + 2_000; seq++) expect(table.get(seq)).toBe(expected.get(seq) ?? 0)
})
