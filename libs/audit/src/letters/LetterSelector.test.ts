import { describe, expect, it } from 'vitest'
import { parseFilter } from '../filter/parseFilter.ts'
import type { DeadLetter } from './DeadLetter.ts'
import { DeadLetters } from './DeadLetters.ts'
import { LetterSelector, type LetterSelection } from './LetterSelector.ts'

const letter = (number: number, change: Partial<DeadLetter> = {}): DeadLetter => ({
  partition: 0,
  number,
  messageId: `log-0-1-${number}`,
  at: number * 1_000,
  state: 'Available',
  cause: 'retry',
  error: `order ${number} is unknown`,
  attempts: 3,
  redrives: 0,
  sentAt: 500,
  placeId: `log-1-2-${number}`,
  cameBack: 0,
  attributes: {},
  body: new TextEncoder().encode(`{"n":${number === 3 ? '[0]' : `[${number}]`}}`),
  ...change,
})
const letters = [
  letter(1),
  letter(2, { tag: 'eu', attributes: { tenant: 'acme' } }),
  letter(3, { error: 'no stock' }),
  letter(5, { cause: 'leaseExpired' }),
]
const picked = (selector: LetterSelection) => {
  const picker = new LetterSelector('dead', selector)
  for (const each of letters.toReversed()) picker.accept(each)
  return picker.parts(100).flat()
}
const group = new DeadLetters().groupOf(letters[0]!)

describe('dead letters', () => {
  it.each<[string, LetterSelection, number[]]>([
    ['everything', {}, [1, 3, 5, 1]],
    ['a group', { group }, [1, 2]],
    ['the beginning of its fingerprint', { group: group.slice(0, 4) }, [1, 2]],
    ['ids', { messages: ['log-0-1-3', 'log-0-1-9'] }, [3, 1]],
    ['part of the error', { filter: { error: 'stock' } }, [3, 1]],
    ['the cause', { filter: { cause: 'leaseExpired' } }, [5, 1]],
    ['a filter', { where: parseFilter('reason:retry payload.n:>1', 0) }, [2, 1]],
    ['another', { where: parseFilter('-error:unknown', 0) }, [3, 1]],
    ['the tag', { filter: { tag: 'eu' } }, [2, 1]],
    ['attributes', { filter: { attributes: { tenant: 'acme' } } }, [2, 1]],
    ['the time', { filter: { enqueuedAfter: 2_000, enqueuedBefore: 5_000 } }, [2, 2]],
    ['everything given', { group, filter: { tag: 'eu' } }, [2, 1]],
  ])('are picked by %s', (_, selector, numbers) => {
    expect(picked(selector)).toEqual(numbers)
  })

  it('come in parts of the size that a redrive accepts', () => {
    const picker = new LetterSelector('dead', {})
    for (let n = 1; n <= 9; n += 2) picker.accept(letter(n))
    expect(picker.parts(2)).toEqual([
      [1, 1, 3, 1],
      [5, 1, 7, 1],
      [9, 1],
    ])
  })
})
