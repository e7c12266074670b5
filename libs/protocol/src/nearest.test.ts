import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

const names = ['mail', 'mail-dlq', 'payments', 'orders']

it.each([
  ['mial', 'mail'],
  ['mails', 'mail'],
  ['Mail', 'mail'],
  ['mail-dql', 'mail-dlq'],
  ['paymnets', 'payments'],
  ['order', 'orders'],
  ['pay', 'payments'],
  ['pa', undefined],
  ['x', undefined],
  ['invoices', undefined],
])('%s means %s', (typed, meant) => {
  expect(nearest(typed, names)).toBe(meant)
})
