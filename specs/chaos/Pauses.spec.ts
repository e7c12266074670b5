import { expect, it } from 'vitest'
import { Pauses } from './Pauses.ts'

it('the longest pause is that of one partition, whatever the others do, and counts while it lasts', () => {
  const pauses = new Pauses(2)
  pauses.begin(100)
  pauses.acknowledged(0, 110)
  pauses.acknowledged(1, 130)
  pauses.acknowledged(0, 140)
  expect(pauses.longestMs(140)).toBe(30)
  expect(pauses.longestMs(200)).toBe(70)
  pauses.acknowledged(1, 300)
  expect(pauses.longestMs(300)).toBe(170)
  pauses.begin(300)
  expect(pauses.longestMs(310)).toBe(10)
})

it('all partitions are served once each acknowledged a send since that was asked for', () => {
  const pauses = new Pauses(2)
  pauses.acknowledged(0, 1)
  pauses.acknowledged(1, 2)
  expect(pauses.allServed).toBe(true)
  pauses.expectAll()
  pauses.acknowledged(1, 3)
  expect(pauses.allServed).toBe(false)
  pauses.acknowledged(0, 4)
  expect(pauses.allServed).toBe(true)
})
