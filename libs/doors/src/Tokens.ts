import { createHash, timingSafeEqual } from 'node:crypto'
import {
  type Grants,
  grantsRule,
  grantsText,
  isKirokuError,
  KirokuError,
  parseGrants,
} from '@kiroku/protocol'
import type { Identity } from './Identity.ts'
import { isJwt, type TokenIssuer } from './oidc/TokenIssuer.ts'

/** A bearer token of a door, of which only the digest is kept. */
export interface Token {
  readonly name: string
  readonly grants: Grants
  /** Its SHA-256. */
  readonly digest: Buffer
  /** When it ends, in ms since 1970; absent: never. */
  readonly untilMs?: number
}

/** Shorter tokens can be guessed. */
const tokenCharactersMin = 16

/** The digest of a token, as a file of tokens may hold it in the token's place. */
export const digestOf = (token: string): string => `sha256:${sha256(token).toString('hex')}`

/**
 * Reads tokens written as `name:role:token`, separated by commas or lines, where `role` is what `parseGrants` reads, `token` may be its digest, and
 * ` until=2027-01-31` may follow; lines that begin with # are comments. Tokens may share a name, so that one can replace
 * another, and then have the same role. Errors: `InvalidConfig`, which names the entry but never shows the token.
 */
export const parseTokens = (text: string): Token[] => {
  const tokens: Token[] = []
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  for (const entry of lines.join(',').split(',')) {
    if (entry.trim() === '') continue
    const token = parseToken(entry.trim())
    if (
      tokens.some(
        ({ name, grants }) => name === token.name && grantsText(grants) !== grantsText(token.grants),
      )
    )
      throw new KirokuError('InvalidConfig', `the tokens of "${token.name}" have different roles`)
    tokens.push(token)
  }
  return tokens
}

const parseToken = (entry: string): Token => {
  const [line = '', ...options] = entry.split(/\s+/)
  const [name = '', role = '', ...rest] = line.split(':')
  const token = rest.join(':')
  if (!/^[A-Za-z0-9_.@-]{1,64}$/.test(name))
    throw new KirokuError(
      'InvalidConfig',
      'a token needs a name of 1 to 64 letters, digits, - _ . @, as in name:role:token',
    )
  const refuse = (why: string) => new KirokuError('InvalidConfig', `token "${name}": ${why}`)
  const grants = grantsOf(role, refuse)
  const untilMs = untilOf(options, refuse)
  const ends = untilMs === undefined ? {} : { untilMs }
  const digest = /^sha256:(.*)$/.exec(token)?.[1]
  if (digest !== undefined) {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw refuse('sha256: is followed by 64 digits of 0-9 and a-f')
    return { name, grants, digest: Buffer.from(digest, 'hex'), ...ends }
  }
  if (token.length < tokenCharactersMin)
    throw refuse(`must have at least ${tokenCharactersMin} characters; \`kiroku token new\` makes one`)
  return { name, grants, digest: sha256(token), ...ends }
}

const grantsOf = (text: string, refuse: (why: string) => KirokuError): Grants => {
  try {
    return parseGrants(text)
  } catch (error) {
    throw refuse(isKirokuError(error) ? error.message : grantsRule)
  }
}

const untilOf = (options: readonly string[], refuse: (why: string) => KirokuError): number | undefined => {
  if (options.length === 0) return undefined
  const until = /^until=(\S+)$/.exec(options.join(' '))?.[1]
  const ms = until === undefined ? NaN : Date.parse(until)
  if (Number.isNaN(ms)) throw refuse('only until=DATE may follow the token, as in until=2027-01-31')
  return ms
}

/** The tokens of an engine, which may be replaced while it runs. */
export class Tokens {
  #tokens: readonly Token[]
  readonly #issuer: TokenIssuer | undefined

  /** @param issuer whose JWTs are accepted too */
  constructor(tokens: readonly Token[] = [], issuer?: TokenIssuer) {
    this.#tokens = tokens
    this.#issuer = issuer
  }

  /** Whether callers need one; otherwise everyone on this machine is admitted. */
  get areRequired(): boolean {
    return this.#tokens.length > 0 || this.#issuer !== undefined
  }

  /** Takes other tokens. Errors: `InvalidConfig`: an engine that requires tokens is never opened by taking them away. */
  replace(tokens: readonly Token[]): void {
    if (tokens.length === 0 && this.areRequired && this.#issuer === undefined)
      throw new KirokuError('InvalidConfig', 'there are no tokens left')
    this.#tokens = tokens
  }

  /**
   * The holder of this token, compared in constant time; one of an issuer is known when it was verified. `nowMs` is in ms
   * since 1970. Errors: `Unauthorized`, `TokenExpired`, `IssuerUnavailable`.
   */
  identify(presented: string, nowMs: number): Identity | Promise<Identity> {
    const digest = sha256(presented)
    let found: Token | undefined
    for (const candidate of this.#tokens) if (timingSafeEqual(candidate.digest, digest)) found = candidate
    if (found === undefined && this.#issuer !== undefined && isJwt(presented))
      return this.#issuer.identify(presented, nowMs)
    if (found === undefined)
      throw new KirokuError(
        'Unauthorized',
        presented === '' ? 'no token was given' : 'the token is not known',
      )
    const { name, grants, untilMs = Infinity } = found
    if (nowMs >= untilMs)
      throw new KirokuError(
        'TokenExpired',
        `the token of "${name}" ended at ${new Date(untilMs).toISOString()}`,
      )
    return untilMs === Infinity ? { name, grants } : { name, grants, untilMs }
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
