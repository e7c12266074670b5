import { expect, it } from 'vitest'
import { atLeast, informs } from '../Figure.ts'
import { Report } from './Report.ts'

it('writes tables as the formatter leaves them, without columns that say nothing', () => {
  const report = new Report()
  report.table(
    'sizes',
    ['', 'messages/s', 'share', 'µs'],
    [
      ['Kiroku', '1,200', '', '7'],
      ['a peer', '90', '', '8.5'],
    ],
  )
  expect(report.text('# Shapes\n')).toBe(`# Shapes

### sizes

|        | messages/s |  µs |
| ------ | ---------: | --: |
| Kiroku |      1,200 |   7 |
| a peer |         90 | 8.5 |
`)
})

it('says which figures met their targets', () => {
  const report = new Report()
  report.figures('idle', [
    atLeast('lives', 2, '×', 1.5),
    atLeast('sends', 1, '×', 1.5),
    informs('raw', 7, '/s'),
  ])
  expect(report.text('').split('\n').slice(3)).toEqual([
    '|       | measured |  target |',
    '| ----- | -------: | ------: |',
    '| lives |      2 × | ≥ 1.5 ✓ |',
    '| sends |      1 × | ≥ 1.5 ✗ |',
    '| raw   |     7 /s |         |',
    '',
  ])
})
