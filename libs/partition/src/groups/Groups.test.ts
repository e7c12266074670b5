import { describe, expect, it } from 'vitest'
import { GroupColumns } from './GroupColumns.ts'
import { Groups } from './Groups.ts'

/** Numbers that look like chance and are always the same. */
const dice = (seed: number) => {
  let x = seed
  return (sides: number): number => {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0
    return (x >>> 8) % sides
  }
}

describe('groups', () => {
  it.each([
    [60, 1],
    [6_000, 2],
  ])('%i of them come and go, keep their order, and have their turns in that of the row', (count, seed) => {
    const groups = new Groups(new GroupColumns(), true)
    const roll = dice(seed)
    /** Those that there are, in the order in which they began, and those in the row, in order. */
    const all = new Set<string>()
    const row: string[] = []
    const inRow = new Set<string>()
    const leave = (key: string): void => {
      if (inRow.delete(key)) row.splice(row.indexOf(key), 1)
    }
    for (let step = 0; step < 100_000; step++) {
      const key = `g${roll(count)}`
      const what = roll(100)
      if (what < 60) {
        groups.queue(groups.of(key))
        all.add(key)
        if (!inRow.has(key)) row.push(key)
        inRow.add(key)
      } else if (what < 75) {
        const next = groups.next()
        const first = row.shift()
        if (first !== undefined) inRow.delete(first)
        if (next?.key !== first) expect.fail(`step ${step}: it is not the turn of ${next?.key}`)
        if (what >= 70 && next !== undefined) {
          groups.putBack(next)
          row.unshift(next.key)
          inRow.add(next.key)
        }
      } else if (what < 80) {
        const group = groups.find(key)
        if (group !== undefined) groups.unqueue(group)
        leave(key)
      } else {
        const group = groups.find(key)
        if (group === undefined) {
          if (all.has(key)) expect.fail(`step ${step}: ${key} is gone`)
          continue
        }
        groups.head(group, 0)
        groups.forget(group)
        all.delete(key)
        leave(key)
      }
      const group = groups.find(key)
      if (group === undefined || what % 2 === 0) continue
      groups.head(group, step + 1)
      if (groups.headedBy(step + 1)?.key !== key) expect.fail(`step ${step}: its first run is another's`)
    }
    expect([...groups.all()].map((group) => group.key)).toEqual([...all])
    expect([...groups.row()].map((group) => group.key)).toEqual(row)
    expect(groups.size).toBe(all.size)
  })
})
