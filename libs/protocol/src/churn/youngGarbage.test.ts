import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { ChurnMap } from './ChurnMap.ts'
import { ChurnSet } from './ChurnSet.ts'

setFlagsFromString('--expose-gc')
const collectYoung = () => (runInNewContext('gc') as (options: object) => void)({ type: 'minor' })

const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size

/** Bytes that became old while 20 MB came and went, 16 entries of it at a time. */
const agedBytes = ({ add, remove }: { add: (n: number) => void; remove: (n: number) => void }) => {
  for (let n = 0; n < 16; n++) add(n)
  // What is there now becomes old.
  for (let i = 0; i < 3; i++) collectYoung()
  const before = oldBytes()
  for (let n = 16; n < 20_000; n++) {
    add(n)
    remove(n - 16)
    if (n % 500 === 0) collectYoung()
  }
  return oldBytes() - before
}

const entry = () => ({ payload: Array.from({ length: 125 }, () => 0) })

const ofMap = () => {
  const map = new ChurnMap<number, object>()
  return agedBytes({ add: (n) => map.set(n, entry()), remove: (n) => map.delete(n) })
}

const ofSet = () => {
  const set = new ChurnSet<object>()
  const entries: object[] = []
  const add = () => {
    entries.push(entry())
    set.add(entries.at(-1)!)
  }
  return agedBytes({ add, remove: () => set.delete(entries.shift()!) })
}

it.each([
  ['map', ofMap],
  ['set', ofSet],
])('what came and went is collected young, although the %s is old', (_, measure) => {
  // Without an end to the chain it is all of it. The code that runs here becomes old as well, the first time.
  measure()
  expect(measure()).toBeLessThan(12_000_000)
})
