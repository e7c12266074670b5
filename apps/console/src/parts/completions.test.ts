import { momentFields } from '@kiroku/audit/filter'
import { expect, it } from 'vitest'
import { completionsAt } from './completions.ts'

const texts = (text: string, caret = text.length): string[] =>
  completionsAt(text, caret, ['mail', 'mail-dlq', 'orders']).entries.map((entry) => entry.text)

it('offers every field when nothing is typed yet', () => {
  expect(texts('')).toContain('state:')
  expect(texts('state:dlq ')).toContain('payload.')
})

it('offers the fields that begin with the text, also after a minus', () => {
  expect(texts('que')).toEqual(['queue:'])
  expect(texts('state:dlq -fi')).toEqual(['fingerprint:'])
})

it('offers only those that may be named', () => {
  const { entries } = completionsAt('', 0, [], momentFields)
  expect(entries.map(({ text }) => text)).toContain('attempt:')
  expect(entries.map(({ text }) => text)).not.toContain('error:')
})

it('offers states and queues as values, and each further alternative', () => {
  expect(texts('state:d')).toEqual(['delayed', 'dlq', 'discarded'])
  expect(texts('queue:mail')).toEqual(['mail-dlq'])
  expect(texts('state:dlq,dis')).toEqual(['discarded'])
})

it('offers an example for a value that it cannot know', () => {
  expect(texts('attempt:')).toEqual(['>3'])
})

it('says where the replacement starts', () => {
  expect(completionsAt('-state:dl', 9, []).from).toBe(7)
  expect(completionsAt('sta queue:mail', 3, []).from).toBe(0)
})

it('offers nothing inside quotes', () => {
  expect(texts('error:"timed out st')).toEqual([])
})
