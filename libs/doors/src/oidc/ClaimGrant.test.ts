import { grantsText } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { grantsOf, parseClaimGrants } from './ClaimGrant.ts'

const by = parseClaimGrants(
  `groups=ops:operator@orders-*, groups=team-*:viewer@mail
   realm_access.roles=root:admin,scope=kiroku.read:viewer,https://ex.org/roles=urn:ex:boss:admin@all,blue=true:viewer@blue`,
)
const roles = (claims: Record<string, unknown>): string => grantsText(grantsOf(claims, by))

describe('roles by claims', () => {
  it('are those of each value that is claimed, together', () => {
    expect(roles({ groups: ['ops', 'team-a'] })).toBe('viewer@mail+operator@orders-*')
    expect(roles({ groups: 'ops' })).toBe('operator@orders-*')
    expect(roles({ blue: true })).toBe('viewer@blue')
  })

  it('may be of a claim inside another, of a scope, and of names with colons and dots', () => {
    expect(roles({ realm_access: { roles: ['root'] } })).toBe('admin')
    expect(roles({ scope: 'openid kiroku.read' })).toBe('viewer')
    expect(roles({ 'https://ex.org/roles': ['urn:ex:boss'] })).toBe('admin@all')
  })

  it('are none where nothing fits, whatever is claimed', () => {
    for (const claims of [
      {},
      { groups: [['ops'], { ops: 1 }] },
      { groups: 'opsy' },
      { realm_access: 'roles' },
    ])
      expect(roles(claims)).toBe('')
  })

  it.each([
    'groups',
    'groups=ops',
    'groups=ops:boss',
    '=ops:viewer',
    'groups=:viewer',
    'groups=ops:viewer@a b',
  ])('are not written %j', (text) => {
    expect(() => parseClaimGrants(text)).toThrow(expect.objectContaining({ id: 'InvalidConfig' }))
  })
})
