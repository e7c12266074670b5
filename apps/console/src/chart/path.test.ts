import { expect, it } from 'vitest'
import { headOf, pathLength, pathOf, pointAlong } from './path.ts'

const bent = [
  { x: 0, y: 0 },
  { x: 100, y: 0 },
  { x: 100, y: 50 },
]

it('rounds corners and leaves room for the head of the arrow', () => {
  expect(pathOf(bent)).toBe('M0 0L88 0Q100 0 100 12L100 43')
  expect(headOf(bent, 1)).toBe('M100 50L96 42L104 42Z')
  expect(headOf(bent, 5.5)).toBe('M100 50L92 42L108 42Z')
})

it('knows how long a line is and where one is on it', () => {
  expect(pathLength(bent)).toBe(150)
  expect([0, 60, 100, 120, 999].map((px) => pointAlong(bent, px))).toEqual([
    { x: 0, y: 0 },
    { x: 60, y: 0 },
    { x: 100, y: 0 },
    { x: 100, y: 20 },
    { x: 100, y: 50 },
  ])
})
