import { describe, expect, it } from 'vitest'
import { keyOf, pathOf, readJson, visibleValues } from './readJson.ts'

const written = (text: string): string[] => {
  const json = readJson(text)
  return json.starts.map((from, i) => text.slice(from, json.ends[i]))
}

describe('JSON as it is written', () => {
  it('keeps every digit of a number', () => {
    expect(written('[9007199254740993123, 1.10, -0, 1e400]')).toEqual([
      '[9007199254740993123, 1.10, -0, 1e400]',
      '9007199254740993123',
      '1.10',
      '-0',
      '1e400',
    ])
  })

  it('knows the parent of each value', () => {
    const json = readJson('{"a":{"b":[1,{"c":null}]},"d":""}')
    const last = json.kinds.lastIndexOf('literal')
    expect(pathOf(json, last)).toEqual(['a', 'b', 1, 'c'])
    expect(json.sizes).toEqual([2, 1, 2, 0, 1, 0, 0])
    expect(json.depths[last]).toBe(4)
  })

  it('keeps keys that are written twice, and reads what is escaped in them', () => {
    const json = readJson(String.raw`{"a\n\u0041":1,"__proto__":2,"a":3,"a":4}`)
    expect([1, 2, 3, 4].map((value) => keyOf(json, value))).toEqual(['a\nA', '__proto__', 'a', 'a'])
  })

  it('reads empty groups and lone values', () => {
    expect(readJson(' [] ')).toMatchObject({ kinds: ['array'], isCut: false })
    expect(readJson('"x"')).toMatchObject({ kinds: ['string'] })
    expect(readJson('{"a":{}}').sizes).toEqual([1, 0])
  })

  it.each([
    ['', 0],
    ['nope', 0],
    ['01', 1],
    ['[1,]', 3],
    ['{"a" 1}', 5],
    ['{"a":1', 6],
    ['[1] 2', 4],
    ['{,}', 1],
    [String.raw`"\x"`, 0],
    ['"a\nb"', 0],
    ['+1', 0],
    ['-', 0],
    ['NaN', 0],
  ])('says where %j stops being JSON', (text, at) => {
    expect(readJson(text).brokenAt).toBe(at)
  })

  it('agrees with the platform on what is JSON', () => {
    for (const text of ['{"a":[1,2,{"b":"ü\\u1234"}]}', ' 1 ', '[[],{}]', 'null', '"\\ud800"'])
      expect(readJson(text).brokenAt).toBeUndefined()
  })

  it('reads what there is of a text that is cut off', () => {
    const json = readJson('{"a":[1,2,')
    expect(json.kinds).toEqual(['object', 'array', 'number', 'number'])
    expect(json.nexts).toEqual([4, 4, 3, 4])
  })

  it('reads a hundred thousand levels', () => {
    const deep = 100_000
    const json = readJson('['.repeat(deep) + ']'.repeat(deep))
    expect(json.brokenAt).toBeUndefined()
    expect(json.depths.at(-1)).toBe(deep - 1)
    expect(pathOf(json, deep - 1)).toHaveLength(deep - 1)
  })

  it('reads a string of megabytes', () => {
    const json = readJson(JSON.stringify({ a: 'x'.repeat(4_000_000) }))
    expect(json.ends[1]! - json.starts[1]!).toBe(4_000_002)
  })

  it('stops after the most values that it may have', () => {
    expect(readJson('[1,2,3,4]', 3)).toMatchObject({ isCut: true, kinds: ['array', 'number', 'number'] })
  })
})

it('shows what is in open groups only', () => {
  const json = readJson('{"a":[1,2],"b":[3]}')
  expect(visibleValues(json, () => true)).toEqual([0, 1, 2, 3, 4, 5])
  expect(visibleValues(json, (value) => value !== 1)).toEqual([0, 1, 4, 5])
  expect(visibleValues(json, () => false)).toEqual([0])
})
