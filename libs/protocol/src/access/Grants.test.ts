import { describe, expect, it } from 'vitest'
import { grantsText, isLike, isRestricted, joinGrants, parseGrants, roleOn, roleSomewhere } from './Grants.ts'

describe('grants', () => {
  it('are a role on everything, on queues, or both', () => {
    expect(parseGrants('admin')).toEqual({ role: 'admin', queues: [] })
    expect(parseGrants('admin@*')).toEqual({ role: 'admin', queues: [] })
    const grants = parseGrants('viewer+operator@orders-*')
    expect(roleOn(grants, 'orders-eu')).toBe('operator')
    expect(roleOn(grants, 'mail')).toBe('viewer')
    expect(roleSomewhere(grants)).toBe('operator')
    expect(isRestricted(grants)).toBe(false)
  })

  it('give nothing elsewhere', () => {
    const grants = parseGrants('operator@orders-*+admin@orders-test+viewer@mail')
    expect(
      ['orders-eu', 'orders-test', 'mail', 'mails', 'orders'].map((name) => roleOn(grants, name)),
    ).toEqual(['operator', 'admin', 'viewer', undefined, undefined])
    expect(isRestricted(grants)).toBe(true)
  })

  it('are joined to the highest of each, without what is no more than the role on everything', () => {
    const joined = joinGrants(
      ['operator', 'viewer@mail', 'admin@orders-*', 'operator@orders-*'].map(parseGrants),
    )
    expect(grantsText(joined)).toBe('operator+admin@orders-*')
    expect(parseGrants(grantsText(joined))).toEqual(joined)
    expect(joinGrants([])).toEqual({ queues: [] })
  })

  it.each(['', 'root', 'toString', 'viewer@', 'viewer@a b', 'viewer@a@b', 'viewer+', '@mail', 'viewer@[a]'])(
    'are not %j',
    (text) => {
      expect(() => parseGrants(text)).toThrow(expect.objectContaining({ id: 'InvalidArgument' }))
    },
  )
})

it.each([
  ['orders', 'orders', true],
  ['orders', 'orders-eu', false],
  ['orders-*', 'orders-', true],
  ['orders-*', 'Orders-eu', false],
  ['*-dlq', 'mail-dlq', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*b', 'ab', false],
  ['a*b*c', 'acb', false],
  ['**', '', true],
])('the pattern %s and the name %s: %s', (pattern, name, like) => {
  expect(isLike(pattern, name)).toBe(like)
})
