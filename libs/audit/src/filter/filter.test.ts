import { isKirokuError } from '@kiroku/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filterFields } from './Filter.ts'
import { FilterError } from './FilterError.ts'
import { parseFilter } from './parseFilter.ts'
import { parseMomentFilter } from './parseMomentFilter.ts'
import { passesFilter, type FilteredMessage } from './passesFilter.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

const message: FilteredMessage = {
  ids: ['abc-0-1-5', 'abc-1-2-9'],
  queue: 'mail',
  subscription: 'main',
  partition: 2,
  number: 5,
  state: 'DLQ',
  attempt: 4,
  reason: 'retry',
  error: 'SMTP: connection Timed out after 30 s',
  fingerprint: '0123456789abcd',
  group: 'customer-42',
  tag: 'urgent',
  consumer: 'worker-1',
  producer: 'api-7',
  attributes: { region: 'eu', 'a.b': 'x' },
  redrives: 1,
  at: Date.parse('2026-11-20T14:02:31.500Z'),
  sentAt: Date.parse('2026-11-20T13:00:00Z'),
  payload: (path) => ({ 'user.id': [42], name: ['Ann'], sizes: [1, 2, 3], n: ['7'] })[path] ?? [],
}

const passes = (filter: string): boolean => passesFilter(parseFilter(filter, now), message)

test('a filter for a moment points at what is not known of the past', () => {
  const readFilter = (filter: string) => () => parseMomentFilter(filter, now)
  expect(readFilter('state:live -attempt:>1 sent:<1h')().conditions).toHaveLength(3)
  for (const [filter, name, at] of [
    ['state:live error:x', '"error"', 11],
    ['-since:1h', '"since"', 1],
    ['payload.user.id:42', '"payload.user.id"', 0],
  ] as const)
    expect(readFilter(filter)).toThrow(
      expect.objectContaining({ at, message: expect.stringContaining(`${name} is not known of a moment`) }),
    )
})

describe('a filter lets a message pass that meets every condition', () => {
  test.each([
    '',
    'state:dlq',
    'state:DLQ,committed',
    'state:final -state:live',
    'queue:mail attempt:>3 payload.user.id:42',
    'queue:m*l queue:mail,other',
    'attempt:>=4 attempt:<=4 attempt:4 attempt:=4 attempt:<5',
    'reason:retry',
    'error:"timed out"',
    'error:smtp*30',
    'fingerprint:0123*',
    'group:customer-42 tag:urgent consumer:worker-* producer:*7',
    'attr.region:eu attr.a.b:x',
    'payload.name:ann payload.sizes:3 payload.sizes:>2 payload.n:7 payload.user.id:>=42',
    'redrives:>0 partition:2 number:5',
    'id:abc-0-1-5',
    'id:abc-1-2-9',
    'time:>2026-11-20T14:00 since:24h',
    'time:2026-11-20 time:2026-11-20T14:02 time:2026-11-20T14:02:31 time:2026-11-20T14:02:31.500Z',
    'time:2026-11-20T15:02:31+01:00 time:<=2026-11-20 time:<2026-11-21',
    'until:21h sent:<2026-11-20T13:01',
  ])('%s', (filter) => expect(passes(filter)).toBe(true))
})

describe('and rejects one that does not', () => {
  test.each([
    'state:live',
    '-state:dlq',
    'queue:mai',
    'queue:m*x',
    'queue:"m*l"',
    'attempt:>4',
    'error:"timed  out"',
    'reason:expired',
    'attr.region:us',
    'attr.none:x',
    '-attr.region:eu',
    'payload.user.id:43',
    'payload.user:42',
    'payload.n:>6',
    'redrives:0',
    'since:21h',
    'until:24h',
    'time:>2026-11-20T14:02:31.500',
    'time:2026-11-21',
    'queue:mail state:live',
  ])('%s', (filter) => expect(passes(filter)).toBe(false))
})

describe('a filter that cannot be read is refused at the character that is wrong', () => {
  test.each([
    ['queue:mail timeout', 11, /"timeout" is not a condition/],
    ['colour:red', 0, /there is no field "colour"/],
    ['state:dead', 6, /"dead" is not a state/],
    ['state:dlq,dead', 10, /"dead" is not a state/],
    ['state:__proto__', 6, /not a state/],
    ['queue:', 6, /a value is missing/],
    ['queue:mail,', 11, /a value is missing/],
    ['queue:>mail', 6, /takes text/],
    ['attempt:many', 8, /takes a whole number/],
    ['attempt:1,2', 9, /takes one value/],
    ['error:"no end', 6, /are not closed/],
    ['error:"a"b', 9, /a space must follow/],
    ['since:yesterday', 6, /is not a time/],
    ['time:2026-13-45', 5, /is not a time/],
    ['payload.a..b:1', 8, /empty part/],
    ['payload.a:>x', 11, /compares numbers/],
    ['attr.:x', 7, /name of an attribute/],
    ['x'.repeat(4_001), 4_000, /at most 4000 characters/],
  ])('%s', (filter, at, what) => {
    let thrown: unknown
    try {
      parseFilter(filter, now)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(FilterError)
    expect(thrown).toMatchObject({ id: 'InvalidFilter', at })
    expect((thrown as FilterError).message).toMatch(what)
    expect((thrown as FilterError).picture.split('\n')[1]).toBe(`${' '.repeat(at)}^`)
  })
})

test('the example of every field can be read', () => {
  for (const { example } of filterFields) expect(parseFilter(example, now).conditions).toHaveLength(1)
})

test('a condition says where it stands in the text', () => {
  const text = ' queue:mail  -state:"dlq"'
  expect(parseFilter(text, now).conditions.map(({ from, to }) => text.slice(from, to))).toEqual([
    'queue:mail',
    '-state:"dlq"',
  ])
})

test('any text is read or refused at one of its characters', () => {
  const piece = fc.constantFrom(
    'state:',
    'dlq',
    '"',
    ' ',
    '-',
    ':',
    ',',
    '>',
    '*',
    'payload.',
    'x',
    '1',
    '\\',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('')
      try {
        passesFilter(parseFilter(text, now), message)
      } catch (error) {
        expect(isKirokuError(error) && error.id).toBe('InvalidFilter')
        expect((error as FilterError).at).toBeLessThanOrEqual(text.length)
      }
    }),
    { seed: 20_261_122 },
  )
})
