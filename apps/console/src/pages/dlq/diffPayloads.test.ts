import { expect, it } from 'vitest'
import { diffPayloads } from './diffPayloads.ts'

it('compares two JSON bodies by their paths', () => {
  const left = '{"order":41,"customer":{"id":7,"vip":true},"lines":[{"sku":"A"}]}'
  const right = '{"order":42,"customer":{"id":"7"},"lines":[{"sku":"A"},{"sku":"B"}],"note":""}'
  expect(diffPayloads(left, right)).toEqual({
    equal: 1,
    changes: [
      { path: 'order', left: '41', right: '42' },
      { path: 'customer.id', left: '7', right: '"7"' },
      { path: 'customer.vip', left: 'true' },
      { path: 'lines.1.sku', right: '"B"' },
      { path: 'note', right: '""' },
    ],
  })
})

it('compares other texts line by line', () => {
  expect(diffPayloads('a\nb\nc', 'a\nB')).toEqual({
    equal: 1,
    changes: [
      { path: 'line 2', left: 'b', right: 'B' },
      { path: 'line 3', left: 'c' },
    ],
  })
})

it('knows equal bodies, however they are written', () => {
  expect(diffPayloads('{"a":1, "b":{}}', '{"b":{},"a":1}')).toEqual({ equal: 2, changes: [] })
})

it('distinguishes numbers that a double cannot', () => {
  expect(diffPayloads('{"id":9007199254740993}', '{"id":9007199254740992}').changes).toEqual([
    { path: 'id', left: '9007199254740993', right: '9007199254740992' },
  ])
})
