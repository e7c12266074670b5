import { expect, it } from 'vitest'
import { checkJson, contentTypeOf, jsonSlip } from './contentType.ts'

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

it.each([
  ['{bad json', true],
  ['[1,', true],
  ['{"a":1}', false],
  ['plain text', false],
  ['', false],
])('a body %j is a slip: %s', (text, isSlip) => {
  expect(jsonSlip(Buffer.from(text)) !== undefined).toBe(isSlip)
})

it.each([
  ['{bad json', 'application/json', 'MalformedJson'],
  ['hello', 'application/json; charset=utf-8', 'MalformedJson'],
  ['hello', 'application/cloudevents+json', 'MalformedJson'],
  ['5', 'application/json', undefined],
  ['{bad json', 'text/plain', undefined],
  ['{bad json', 'application/jsonish', undefined],
])('a body %j of type %s is refused by %s', (text, contentType, id) => {
  const check = () => checkJson(Buffer.from(text), contentType)
  if (id === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(expect.objectContaining({ id }) as Error)
})

it('bytes that are not text are no JSON', () => {
  expect(() => checkJson(Uint8Array.of(0xff), 'application/json')).toThrow(/is not text/)
  expect(jsonSlip(Uint8Array.of(0xff))).toBeUndefined()
})
