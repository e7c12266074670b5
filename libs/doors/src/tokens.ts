import { createHash, timingSafeEqual } from 'node:crypto'
import { KirokuError } from '@kiroku/protocol'

/** What a token may do: a viewer reads, an operator also handles messages, an admin also changes queues. */
export type Role = 'viewer' | 'operator' | 'admin'

/** A bearer token of a door. */
export interface Token {
  readonly name: string
  readonly role: Role
  readonly token: string
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 }

/** Shorter tokens can be guessed. */
const tokenCharactersMin = 8

/** Whether `has` includes what `needs` may do. */
export const roleSuffices = (has: Role, needs: Role): boolean => ranks[has] >= ranks[needs]

/**
 * Reads tokens written as `name:role:token`, separated by commas or lines; lines that begin with # are comments.
 * Errors: `InvalidConfig`, which names the entry but never shows the token.
 */
export const parseTokens = (text: string): Token[] => {
  const tokens: Token[] = []
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  for (const entry of lines.join(',').split(',')) {
    if (entry.trim() === '') continue
    const [name = '', role = '', ...rest] = entry.trim().split(':')
    const token = rest.join(':')
    if (!/^[A-Za-z0-9_.@-]{1,64}$/.test(name))
      throw new KirokuError(
        'InvalidConfig',
        'a token needs a name of 1 to 64 letters, digits, - _ . @, as in name:role:token',
      )
    if (!(role in ranks))
      throw new KirokuError('InvalidConfig', `token "${name}": the role must be viewer, operator or admin`)
    if (token.length < tokenCharactersMin)
      throw new KirokuError(
        'InvalidConfig',
        `token "${name}": must have at least ${tokenCharactersMin} characters`,
      )
    if (tokens.some((other) => other.name === name))
      throw new KirokuError('InvalidConfig', `two tokens have the name "${name}"`)
    tokens.push({ name, role: role as Role, token })
  }
  return tokens
}

/**
 * The entry of this token, compared in constant time. Errors: `Unauthorized`, `Forbidden`.
 */
export const authorize = (tokens: readonly Token[], presented: string, needs: Role): Token => {
  const digest = sha256(presented)
  let found: Token | undefined
  for (const candidate of tokens) if (timingSafeEqual(sha256(candidate.token), digest)) found = candidate
  if (found === undefined)
    throw new KirokuError('Unauthorized', presented === '' ? 'no token was given' : 'the token is not known')
  requireRole(found.name, found.role, needs)
  return found
}

/** Refuses a role that does not suffice. Errors: `Forbidden`. */
export const requireRole = (name: string, has: Role, needs: Role): void => {
  if (!roleSuffices(has, needs))
    throw new KirokuError('Forbidden', `token "${name}" has the role ${has}; this needs ${needs}`)
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
