import { once } from 'node:events'
import { parseGrants } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { Granted } from './Granted.ts'

const granted = (grants: string, untilMs?: number) =>
  new Granted({
    name: 'ann',
    grants: parseGrants(grants),
    ...(untilMs === undefined ? {} : { untilMs }),
  })

describe('what a caller may see and do', () => {
  it('is everything that a role on everything allows', () => {
    const admin = granted('admin')
    expect([admin.isRestricted, admin.differs, admin.sees('mail'), admin.handles('mail')]).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(admin.asking).toEqual({ asOperator: true })
    expect(admin.handled).toEqual({})
    expect(() => granted('viewer').require('operator', 'mail')).toThrow('this needs operator')
  })

  it('is what each queue allows, and questions about the record carry that', () => {
    const some = granted('viewer@mail+operator@orders-*')
    expect([some.isRestricted, some.differs]).toEqual([true, true])
    expect(['mail', 'orders-eu', 'wages'].map(some.sees)).toEqual([true, true, false])
    expect(['mail', 'orders-eu', 'wages'].map(some.handles)).toEqual([false, true, false])
    expect(some.asking).toEqual({ asOperator: false, grants: some.grants })
    expect(some.handled).toEqual({ grants: parseGrants('operator@orders-*') })
  })

  it('ends with the token', async () => {
    const closing = new AbortController()
    expect(granted('viewer').until(closing.signal)).toBe(closing.signal)
    const ending = granted('viewer', Date.now() + 50).until(closing.signal)
    expect(ending.aborted).toBe(false)
    await once(ending, 'abort')
    const far = granted('viewer', Date.now() + 1e12).until(closing.signal)
    closing.abort()
    expect(far.aborted).toBe(true)
  })
})
