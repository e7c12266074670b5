import { expect, it } from 'vitest'
import { lineDiff } from './lineDiff.ts'

const signs = { same: ' ', gone: '-', new: '+' }
const drawn = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${signs[kind]}${text}`)

it('shows which lines were removed and which added', () => {
  expect(drawn('{\n"a":1,\n"b":2\n}', '{\n"a":1,\n"b":3,\n"c":4\n}')).toEqual([
    ' {',
    ' "a":1,',
    '-"b":2',
    '+"b":3,',
    '+"c":4',
    ' }',
  ])
})

it('keeps what stayed between changes', () => {
  expect(drawn('a\nb\nc', 'x\nb\ny')).toEqual(['-a', '+x', ' b', '-c', '+y'])
})

it('finds nothing between equal texts', () => {
  expect(drawn('a\nb', 'a\nb')).toEqual([' a', ' b'])
})

it('does not compare the middle of very long texts', () => {
  const many = (prefix: string) => Array.from({ length: 2_000 }, (_, i) => `${prefix}${i}`).join('\n')
  expect(lineDiff(many('a'), many('b'))).toHaveLength(4_000)
})
