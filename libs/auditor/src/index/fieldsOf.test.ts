import { describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { fieldsOf } from './fieldsOf.ts'

const fields = (body: string): [string, string | number][] =>
  fieldsOf(new TextEncoder().encode(body)).map(({ path, value }) => [path, value])

describe('the values in a body', () => {
  it("are named by their paths, in lists by the list's path", () => {
    expect(
      fields(' {"User":{"id":42,"tags":["A","b"]},"ok":true,"none":null,"items":[{"sku":1},{"sku":2}]}'),
    ).toEqual([
      ['User.id', 42],
      ['User.tags', 'a'],
      ['User.tags', 'b'],
      ['ok', 'true'],
      ['none', 'null'],
      ['items.sku', 1],
      ['items.sku', 2],
    ])
  })

  it.each(['', 'text', '42', '{"broken":', '\u0000\u0001', '[1,2]'])('there are none in %j', (body) => {
    expect(fields(body)).toEqual([])
  })

  it('are limited in number, depth and length, and bodies in size', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, i]))
    expect(fields(JSON.stringify(many))).toHaveLength(limits.fieldsPerMessageMax)
    expect(fields(`{"a":${'{"a":'.repeat(20)}1${'}'.repeat(20)}}`)).toEqual([])
    expect(fields(JSON.stringify({ long: 'x'.repeat(201), short: 'x' }))).toEqual([['short', 'x']])
    expect(fields(JSON.stringify({ n: 1, pad: 'x'.repeat(limits.bodyBytesIndexedMax) }))).toEqual([])
  })
})
