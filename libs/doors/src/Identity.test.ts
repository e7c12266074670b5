import { parseGrants, type Role } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { roleFor, type Need } from './Identity.ts'

const tell = (grants: string, role: Role, on: Need['on']): string => {
  try {
    return roleFor({ name: 'ann', grants: parseGrants(grants) }, { role, on })
  } catch (error) {
    return (error as Error).message
  }
}

describe('a caller', () => {
  it('with a role on everything has it on each queue', () => {
    for (const on of ['all', 'some', { queue: 'mail' }] as const) {
      expect(tell('operator', 'viewer', on)).toBe('operator')
      expect(tell('operator', 'admin', on)).toBe('token "ann" has the role operator; this needs admin')
    }
  })

  it('with a role on some queues has it there, and is told the same of all others', () => {
    expect(tell('operator@orders-*', 'viewer', { queue: 'orders-eu' })).toBe('operator')
    expect(tell('operator@orders-*', 'admin', { queue: 'orders-eu' })).toBe(
      'token "ann" has the role operator on queue "orders-eu"; this needs admin',
    )
    expect(tell('operator@orders-*', 'viewer', { queue: 'mail' })).toBe(
      'token "ann" has no role on queue "mail"; this needs viewer',
    )
  })

  it('with roles on some queues is asked for one on everything where an answer cannot be divided', () => {
    expect(tell('admin@orders-*', 'viewer', 'all')).toBe(
      'token "ann" has no role on all queues; this needs viewer',
    )
    expect(tell('admin@orders-*+viewer', 'viewer', 'all')).toBe('viewer')
    expect(tell('admin@orders-*+viewer', 'viewer', 'some')).toBe('admin')
  })
})
