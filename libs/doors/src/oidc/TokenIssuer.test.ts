import { expect, it } from 'vitest'
import { checkBind } from '../address.ts'
import { parseTokens, Tokens } from '../Tokens.ts'
import { isJwt, TokenIssuer } from './TokenIssuer.ts'

const issuerAt = (issuer: string) =>
  new TokenIssuer({ issuer, audience: 'kiroku', nameClaim: 'sub', grants: [] })

it('an issuer is reached by https, or on loopback: what it serves as keys decides who is let in', () => {
  for (const url of ['https://login.example.org/realms/a', 'http://127.0.0.1:8080', 'http://localhost'])
    expect(() => issuerAt(url)).not.toThrow()
  for (const url of ['http://login.example.org', 'http://10.0.0.7', 'file:///keys', 'login.example.org', ''])
    expect(() => issuerAt(url), url).toThrow(expect.objectContaining({ id: 'InvalidConfig' }))
})

it('with an issuer callers need a token, also where the file has none, and may have none left', () => {
  const tokens = new Tokens([], issuerAt('https://login.example.org'))
  expect(tokens.areRequired).toBe(true)
  expect(() => checkBind('0.0.0.0', tokens)).not.toThrow()
  expect(() => tokens.identify('a-guessed-token', 0)).toThrow('the token is not known')
  tokens.replace(parseTokens('ann:admin:the-token-of-ann'))
  tokens.replace([])
  expect(tokens.areRequired).toBe(true)
})

it.each([
  ['a.b.c', true],
  ['a-_9.b.c', true],
  ['a.b.', false],
  ['a.b', false],
  ['a.b.c.d', false],
  ['a.b.c d', false],
  ['the-token-of-ann', false],
])('%s has the form of a JWT: %s', (text, is) => {
  expect(isJwt(text)).toBe(is)
})
