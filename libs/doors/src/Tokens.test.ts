import { grantsText, type Role } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { checkBind } from './address.ts'
import { isLoopback } from './isLoopback.ts'
import { checkLocalRequest } from './admit.ts'
import { roleFor } from './Identity.ts'
import { digestOf, parseTokens, Tokens } from './Tokens.ts'

const entries = parseTokens(
  'ann:viewer:the-secret-of-ann,bob:operator:a:secret:with:colons\n# a comment\ncarl:admin:the-secret-of-carl',
)

const tokens = new Tokens(entries)
const nowMs = Date.parse('2026-11-25')

/** Lets the holder of a token do what needs a role on everything. */
const authorize = (of: Tokens, token: string, role: Role, atMs = nowMs) => {
  const identity = of.identify(token, atMs)
  if (identity instanceof Promise) throw new Error('the holder of a token of a file is known at once')
  roleFor(identity, { role, on: 'all' })
  return identity
}

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
    expect(entries.map(({ name, grants }) => `${name} ${grantsText(grants)}`)).toEqual([
      'ann viewer',
      'bob operator',
      'carl admin',
    ])
    expect(authorize(tokens, 'a:secret:with:colons', 'viewer')).toEqual({
      name: 'bob',
      grants: { role: 'operator', queues: [] },
    })
  })

  it.each([
    ['no name', ':admin:it-is-long-enough'],
    ['an unknown role', 'ann:root:it-is-long-enough'],
    ['a short token', 'ann:admin:long-enough'],
    ['a role on what is no name of a queue', 'ann:admin@a b:it-is-long-enough'],
    ['one name in two roles', 'ann:admin:it-is-long-enough,ann:viewer:it-is-long-enough-2'],
    ['a digest that is none', 'ann:admin:sha256:long-enough'],
    ['an end that is no date', 'ann:admin:it-is-long-enough until=long-enough'],
    ['something else behind it', 'ann:admin:it-is-long-enough for=long-enough'],
  ])('are refused with %s, without showing the token', (_, text) => {
    expect(idOf(() => parseTokens(text))).toBe('InvalidConfig')
    expect(() => parseTokens(text)).not.toThrow(/long-enough/)
  })

  it('admit callers whose role suffices, and name them', () => {
    expect(authorize(tokens, 'the-secret-of-carl', 'admin').name).toBe('carl')
    expect(authorize(tokens, 'a:secret:with:colons', 'viewer').name).toBe('bob')
    expect(idOf(() => authorize(tokens, 'the-secret-of-ann', 'operator'))).toBe('Forbidden')
    expect(idOf(() => authorize(tokens, 'guess', 'viewer'))).toBe('Unauthorized')
    expect(idOf(() => authorize(tokens, '', 'viewer'))).toBe('Unauthorized')
  })

  it('may be given by their digests, and nothing else of them is kept', () => {
    const digest = digestOf('the-token-of-dora')
    const [entry] = parseTokens(`dora:admin:${digest}`)
    expect(entry).toEqual(parseTokens('dora:admin:the-token-of-dora')[0])
    expect(JSON.stringify(entry)).not.toContain('the-token')
    expect(authorize(new Tokens([entry!]), 'the-token-of-dora', 'admin').name).toBe('dora')
    expect(idOf(() => authorize(new Tokens([entry!]), digest, 'admin'))).toBe('Unauthorized')
  })

  it('end on their day, and several of one name hold while one replaces another', () => {
    const rotating = new Tokens(
      parseTokens('ann:admin:the-token-of-ann until=2026-12-01\nann:admin:the-next-token-of-ann'),
    )
    for (const token of ['the-token-of-ann', 'the-next-token-of-ann'])
      expect(authorize(rotating, token, 'admin').name).toBe('ann')
    const later = Date.parse('2026-12-01')
    expect(idOf(() => authorize(rotating, 'the-token-of-ann', 'viewer', later))).toBe('TokenExpired')
    expect(() => authorize(rotating, 'the-token-of-ann', 'viewer', later)).toThrow(
      'the token of "ann" ended at 2026-12-01T00:00:00.000Z',
    )
    expect(authorize(rotating, 'the-next-token-of-ann', 'admin', later).name).toBe('ann')
  })

  it('are replaced while callers use them, but never by none', () => {
    const live = new Tokens(parseTokens('ann:admin:the-token-of-ann'))
    live.replace(parseTokens('ann:admin:the-next-token-of-ann'))
    expect(idOf(() => authorize(live, 'the-token-of-ann', 'viewer'))).toBe('Unauthorized')
    expect(authorize(live, 'the-next-token-of-ann', 'viewer').name).toBe('ann')
    expect(idOf(() => live.replace([]))).toBe('InvalidConfig')
    expect(live.areRequired).toBe(true)
  })
})

describe('a bind', () => {
  it.each(['127.0.0.1', '127.8.8.8', 'localhost', '::1'])('to %s needs no token', (host) => {
    expect(isLoopback(host)).toBe(true)
    expect(idOf(() => checkBind(host, new Tokens()))).toBe('no error')
  })

  it.each(['0.0.0.0', '::', '10.0.0.7', '127.0.0.1.example.org'])('to %s is refused without one', (host) => {
    expect(idOf(() => checkBind(host, new Tokens()))).toBe('TokenRequired')
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
    ['a page of another port in an old browser', { host: 'localhost:8480', origin: 'http://localhost:3000' }],
    ['a sandboxed page', { host: '127.0.0.1:8480', origin: 'null' }],
  ])('is refused for %s', (_, headers) => {
    expect(idOf(() => checkLocalRequest(headers))).toBe('Forbidden')
  })
})
