import { createHash, timingSafeEqual } from 'node:crypto'
import { KirokuError } from '@kiroku/protocol'

/** What a token may do: a viewer reads, an operator also handles messages, an admin also changes queues. */
export type Role = 'viewer' | 'operator' | 'admin'

/** A bearer token of a door, of which only the digest is kept. */
export interface Token {
  readonly name: string
  readonly role: Role
  /** Its SHA-256. */
  readonly digest: Buffer
  /** When it ends, in ms since 1970; absent: never. */
  readonly untilMs?: number
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 }

/** Shorter tokens can be guessed. */
const tokenCharactersMin = 16

/** Whether `has` includes what `needs` may do. */
export const roleSuffices = (has: Role, needs: Role): boolean => ranks[has] >= ranks[needs]

/** The digest of a token, as a file of tokens may hold it in the token's place. */
export const digestOf = (token: string): string => `sha256:${sha256(token).toString('hex')}`

/**
 * Reads tokens written as `name:role:token`, separated by commas or lines, where `token` may be its digest, and
 * ` until=2027-01-31` may follow; lines that begin with # are comments. Tokens may share a name, so that one can replace
 * another, and then have the same role. Errors: `InvalidConfig`, which names the entry but never shows the token.
 */
export const parseTokens = (text: string): Token[] => {
  const tokens: Token[] = []
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  for (const entry of lines.join(',').split(',')) {
    if (entry.trim() === '') continue
    const token = parseToken(entry.trim())
    if (tokens.some(({ name, role }) => name === token.name && role !== token.role))
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
  if (!isRole(role)) throw refuse('the role must be viewer, operator or admin')
  const untilMs = untilOf(options, refuse)
  const ends = untilMs === undefined ? {} : { untilMs }
  const digest = /^sha256:(.*)$/.exec(token)?.[1]
  if (digest !== undefined) {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw refuse('sha256: is followed by 64 digits of 0-9 and a-f')
    return { name, role, digest: Buffer.from(digest, 'hex'), ...ends }
  }
  if (token.length < tokenCharactersMin)
    throw refuse(`must have at least ${tokenCharactersMin} characters; \`kiroku token new\` makes one`)
  return { name, role, digest: sha256(token), ...ends }
}

const isRole = (text: string): text is Role => text in ranks

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

  constructor(tokens: readonly Token[] = []) {
    this.#tokens = tokens
  }

  /** Whether callers need one; otherwise everyone on this machine is admitted. */
  get areRequired(): boolean {
    return this.#tokens.length > 0
  }

  /** Takes other tokens. Errors: `InvalidConfig`: an engine that requires tokens is never opened by taking them away. */
  replace(tokens: readonly Token[]): void {
    if (tokens.length === 0 && this.areRequired)
      throw new KirokuError('InvalidConfig', 'there are no tokens left')
    this.#tokens = tokens
  }

  /**
   * The entry of this token, compared in constant time. `nowMs` is in ms since 1970. Errors: `Unauthorized`, `Forbidden`.
   */
  authorize(presented: string, needs: Role, nowMs: number): Pick<Token, 'name' | 'role'> {
    const digest = sha256(presented)
    let found: Token | undefined
    for (const candidate of this.#tokens) if (timingSafeEqual(candidate.digest, digest)) found = candidate
    if (found === undefined)
      throw new KirokuError(
        'Unauthorized',
        presented === '' ? 'no token was given' : 'the token is not known',
      )
    const { name, role, untilMs = Infinity } = found
    if (nowMs >= untilMs)
      throw new KirokuError(
        'Unauthorized',
        `the token of "${name}" ended at ${new Date(untilMs).toISOString()}`,
      )
    requireRole(name, role, needs)
    return { name, role }
  }
}

/** Refuses a role that does not suffice. Errors: `Forbidden`. */
export const requireRole = (name: string, has: Role, needs: Role): void => {
  if (!roleSuffices(has, needs))
    throw new KirokuError('Forbidden', `token "${name}" has the role ${has}; this needs ${needs}`)
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
