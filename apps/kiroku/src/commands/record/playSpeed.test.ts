import { expect, it } from 'vitest'
import { parseSpeed } from './playSpeed.ts'

it.each([
  ['1x', { kind: 'times', factor: 1 }],
  ['2.5x', { kind: 'times', factor: 2.5 }],
  ['1000x', { kind: 'times', factor: 1_000 }],
  ['step', { kind: 'step' }],
  ['max', { kind: 'all' }],
])('reads %s', (text, speed) => {
  expect(parseSpeed(text)).toEqual(speed)
})

it.each(['0x', '1001x', '10', 'fast', 'x', ''])('refuses %j', (text) => {
  expect(() => parseSpeed(text)).toThrow('is not 1x to 1000x, step or max')
})
