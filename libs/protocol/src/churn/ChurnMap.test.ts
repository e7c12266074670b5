import { describe, expect, it } from 'vitest'
import { ChurnMap } from './ChurnMap.ts'
import { ChurnSet } from './ChurnSet.ts'

/** Enough to start afresh several times. */
const turns = 1_000

describe('a map for entries that come and go', () => {
  it('has what was set and not deleted, in that order, also after it started afresh', () => {
    const map = new ChurnMap<string, number>()
    map.set('stays', 0)
    for (let n = 1; n <= turns; n++) {
      map.set(`goes ${n}`, n)
      expect(map.delete(`goes ${n - 3}`)).toBe(n > 3)
      expect(map.get('stays')).toBe(0)
      expect(map.has(`goes ${n - 3}`)).toBe(false)
    }
    const last = [turns - 2, turns - 1, turns]
    expect([...map]).toEqual([['stays', 0], ...last.map((n) => [`goes ${n}`, n])])
    expect([...map.keys()]).toEqual(['stays', ...last.map((n) => `goes ${n}`)])
    expect([...map.values()]).toEqual([0, ...last])
    expect(map.size).toBe(4)
    map.clear()
    expect([...map]).toEqual([])
  })

  it('can be emptied while it is read', () => {
    const map = new ChurnMap<number, number>()
    for (let n = 0; n < turns; n++) map.set(n, n)
    const met: number[] = []
    for (const [n] of map) {
      met.push(n)
      map.delete(n)
    }
    expect(met).toHaveLength(turns)
    expect(map.size).toBe(0)
  })
})

it('a set for values that come and go has what was added and not deleted, in that order', () => {
  const set = new ChurnSet<number>()
  for (let n = 1; n <= turns; n++) {
    set.add(n)
    expect(set.delete(n - 3)).toBe(n > 3)
    expect(set.has(n)).toBe(true)
  }
  expect([...set]).toEqual([turns - 2, turns - 1, turns])
  expect(set.size).toBe(3)
  set.clear()
  expect([...set]).toEqual([])
})
