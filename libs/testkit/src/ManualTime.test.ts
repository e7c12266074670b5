import { expect, test } from 'vitest'
import { ManualTime } from './index.ts'

test('timers run in the order in which they are due, at their moment', async () => {
  const time = new ManualTime()
  const seen: [string, number][] = []
  const note = (name: string) => () => void seen.push([name, time.now()])
  time.after(20, note('late'))
  time.after(10, note('first'))
  time.after(10, note('second'))
  await time.advance(15)
  expect(seen).toEqual([
    ['first', 10],
    ['second', 10],
  ])
  expect(time.now()).toBe(15)
  await time.advance(5)
  expect(seen.at(-1)).toEqual(['late', 20])
})

test('what a timer triggers settles before the next runs, through promises and immediates', async () => {
  const time = new ManualTime()
  const seen: string[] = []
  time.after(10, () => {
    void Promise.resolve().then(() =>
      setImmediate(() =>
        setImmediate(() => void Promise.resolve().then(() => seen.push(`at ${time.now()}`))),
      ),
    )
  })
  time.after(11, () => seen.push('next'))
  await time.advance(20)
  expect(seen).toEqual(['at 10', 'next'])
})

test('a timer set by a timer runs within the same advance when it is due', async () => {
  const time = new ManualTime()
  let ticks = 0
  const tick = (): void => {
    ticks++
    time.after(1_000, tick)
  }
  tick()
  await time.advance(60_000)
  expect(ticks).toBe(61)
})

test('a cancelled timer never runs', async () => {
  const time = new ManualTime()
  let ran = false
  time.after(5, () => (ran = true))()
  time.clearTimeout(time.setTimeout(() => (ran = true), 5))
  await time.advance(10)
  expect(ran).toBe(false)
})
