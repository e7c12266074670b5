import { describe, expect, it } from 'vitest'
import { checkBind, isLoopback } from './address.ts'
import { checkLocalRequest } from './admit.ts'
import { authorize, parseTokens, roleSuffices } from './tokens.ts'

const tokens = parseTokens(
  'ann:viewer:secret-of-ann,bob:operator:secret:with:colons\n# a comment\ncarl:admin:secret-of-carl',
)

const idOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as { id: string }).id
  }
  return 'no error'
}

describe('tokens', () => {
  it('are read from commas and lines; the token itself may contain colons', () => {
    expect(tokens.map(({ name, role }) => `${name} ${role}`)).toEqual([
      'ann viewer',
      'bob operator',
      'carl admin',
    ])
    expect(tokens[1]?.token).toBe('secret:with:colons')
  })

  it.each([
    ['no name', ':admin:long-enough'],
    ['an unknown role', 'ann:root:long-enough'],
    ['a short token', 'ann:admin:short'],
    ['a name twice', 'ann:admin:long-enough,ann:viewer:long-enough-2'],
  ])('are refused with %s, without showing the token', (_, text) => {
    expect(idOf(() => parseTokens(text))).toBe('InvalidConfig')
    expect(() => parseTokens(text)).not.toThrow(/long-enough/)
  })

  it('admit callers whose role suffices, and name them', () => {
    expect(authorize(tokens, 'secret-of-carl', 'admin').name).toBe('carl')
    expect(authorize(tokens, 'secret:with:colons', 'viewer').name).toBe('bob')
    expect(idOf(() => authorize(tokens, 'secret-of-ann', 'operator'))).toBe('Forbidden')
    expect(idOf(() => authorize(tokens, 'guess', 'viewer'))).toBe('Unauthorized')
    expect(idOf(() => authorize(tokens, '', 'viewer'))).toBe('Unauthorized')
  })

  it('rank viewer below operator below admin', () => {
    const roles = ['viewer', 'operator', 'admin'] as const
    expect(roles.map((has) => roles.filter((needs) => roleSuffices(has, needs)).length)).toEqual([1, 2, 3])
  })
})

describe('a bind', () => {
  it.each(['127.0.0.1', '127.8.8.8', 'localhost', '::1'])('to %s needs no token', (host) => {
    expect(isLoopback(host)).toBe(true)
    expect(idOf(() => checkBind(host, []))).toBe('no error')
  })

  it.each(['0.0.0.0', '::', '10.0.0.7', '127.0.0.1.example.org'])('to %s is refused without one', (host) => {
    expect(idOf(() => checkBind(host, []))).toBe('TokenRequired')
    expect(idOf(() => checkBind(host, tokens))).toBe('no error')
  })
})

describe('a request to an API without tokens', () => {
  it('is answered for programs and for our own page', () => {
    expect(idOf(() => checkLocalRequest({ host: '127.0.0.1:8480' }))).toBe('no error')
    const page = { host: 'localhost:8480', origin: 'http://localhost:8480', 'sec-fetch-site': 'same-origin' }
    expect(idOf(() => checkLocalRequest(page))).toBe('no error')
  })

  it.each([
    ['another site', { host: '127.0.0.1:8480', origin: 'https://example.org' }],
    ['a cross-site form', { host: '127.0.0.1:8480', 'sec-fetch-site': 'cross-site' }],
    ['a name rebound to this machine', { host: 'evil.example.org:8480' }],
    ['a sandboxed page', { host: '127.0.0.1:8480', origin: 'null' }],
  ])('is refused for %s', (_, headers) => {
    expect(idOf(() => checkLocalRequest(headers))).toBe('Forbidden')
  })
})
