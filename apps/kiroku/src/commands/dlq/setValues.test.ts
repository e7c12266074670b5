import { describe, expect, it } from 'vitest'
import { setValues } from './setValues.ts'

const body = '{"customer":{"id":41,"name":"ada"},"lines":[{"sku":"a"}]}'
const set = (changes: string, before = body): unknown =>
  JSON.parse(new TextDecoder().decode(setValues(new TextEncoder().encode(before), changes)))

describe('values that are set in a body', () => {
  it.each<[string, object]>([
    ['customer.id=42', { customer: { id: 42, name: 'ada' } }],
    ['customer.name=42 b', { customer: { id: 41, name: '42 b' } }],
    ['price.net=3', { price: { net: 3 } }],
    ['note=a, b and c', { note: 'a, b and c' }],
    ['a=1,b=null,c={"d":[1,2]}', { a: 1, b: null, c: { d: [1, 2] } }],
    ['lines.0.sku=b', { lines: [{ sku: 'b' }] }],
    ['lines.1={"sku":"c"}', { lines: [{ sku: 'a' }, { sku: 'c' }] }],
    ['__proto__x=1', { __proto__x: 1 }],
  ])('%s', (changes, changed) => {
    expect(set(changes)).toMatchObject(changed)
  })

  it('leave the others and their order', () => {
    expect(JSON.stringify(set('customer.id=42'))).toBe(body.replace('41', '42'))
  })

  it.each([['customer'], ['=3'], ['lines.x=1'], ['lines.5=1'], ['customer.id.x=1']])(
    'are refused when they make no sense: %s',
    (changes) => {
      expect(() => set(changes)).toThrow(expect.objectContaining({ id: 'InvalidArgument' }) as Error)
    },
  )

  it('are refused in a body that is not JSON', () => {
    expect(() => set('a=1', 'text')).toThrow(expect.objectContaining({ id: 'InvalidArgument' }) as Error)
  })
})
