import { expect, it } from 'vitest'
import { isRestricted, roleOf } from './roleOf.ts'

it('without grants a role holds for every queue', () => {
  expect(roleOf({ role: 'operator' }, 'mail')).toBe('operator')
  expect(roleOf({ role: 'operator' })).toBe('operator')
  expect(isRestricted({ role: 'viewer' })).toBe(false)
})

it('with grants the role is that on the queue, and the highest where none is chosen', () => {
  const session = { role: 'viewer', grants: { queues: [{ role: 'operator', queues: 'orders*' }] } } as const
  expect(roleOf(session, 'orders')).toBe('operator')
  expect(roleOf(session, 'mail')).toBeUndefined()
  expect(roleOf(session)).toBe('operator')
  expect(isRestricted(session)).toBe(true)
  expect(isRestricted({ ...session, grants: { role: 'viewer', ...session.grants } })).toBe(false)
})
