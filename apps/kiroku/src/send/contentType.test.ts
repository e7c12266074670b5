import { expect, it } from 'vitest'
import { contentTypeOf } from './contentType.ts'

it.each([
  ['{"a":1}', 'application/json'],
  [' [1]', 'application/json'],
  ['{broken', 'text/plain'],
  ['5', 'text/plain'],
  ['', 'text/plain'],
])('a body %j is %s', (text, type) => {
  expect(contentTypeOf(Buffer.from(text))).toBe(type)
})

it('bytes that are not UTF-8 are application/octet-stream', () => {
  expect(contentTypeOf(Uint8Array.of(0xff, 0xfe))).toBe('application/octet-stream')
})
