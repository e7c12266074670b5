import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fingerprintOf } from './fingerprint.ts'

const form = (error: string): string => fingerprintOf(error).form

test.each([
  ['connect ECONNREFUSED 10.0.0.5:5432', 'connect ECONNREFUSED <n>'],
  ['timeout after 30s at attempt 4', 'timeout after <n>s at attempt <n>'],
  ['no user "ann@example.org" in \'eu west\'', 'no user <text> in <text>'],
  ["can't read the user's name", "can't read the user's name"],
  ['order 6f9619ff-8b86-d011-b42d-00c04fc964ff is gone', 'order <uuid> is gone'],
  ['bad pointer 0x7ffee4 in 9f86d081884c7d65', 'bad pointer <hex> in <hex>'],
  ['deadbeef is a name, 20261120 a number', 'deadbeef is a name, <n> a number'],
  ['  two\n lines ', 'two lines'],
  ['', ''],
])('%j has the form %j', (error, expected) => expect(form(error)).toBe(expected))

test('errors that differ in what they name have one fingerprint, others have another', () => {
  expect(fingerprintOf('HTTP 503 from 10.0.0.1').id).toBe(fingerprintOf('HTTP 500 from 10.9.8.77').id)
  expect(fingerprintOf('HTTP 503').id).not.toBe(fingerprintOf('HTTPS 503').id)
  expect(fingerprintOf('').id).toMatch(/^[0-9a-f]{14}$/)
})

test('the fingerprint is a fixed one, since it is kept and typed', () => {
  expect(fingerprintOf('timeout after 30s')).toMatchInlineSnapshot(`
    {
      "form": "timeout after <n>s",
      "id": "133acb764f409e",
    }
  `)
})

test('any text has a short form', () => {
  // As the unit `binary`, which takes a second to list all characters.
  const unit = fc
    .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
    .map((c) => String.fromCodePoint(c))
  fc.assert(
    fc.property(fc.string({ maxLength: 2_000, unit }), (text) => {
      const { id, form } = fingerprintOf(text)
      expect(form.length).toBeLessThanOrEqual(300)
      expect(id).toHaveLength(14)
    }),
    { seed: 20_261_122 },
  )
})
