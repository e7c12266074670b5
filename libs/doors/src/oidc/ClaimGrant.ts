import { type Grants, isKirokuError, isLike, joinGrants, KirokuError, parseGrants } from '@kiroku/protocol'

/** What somebody may do of whom an issuer claims something. */
export interface ClaimGrant {
  /** Name of the claim, or the path to it, with dots. */
  readonly claim: string
  /** A value that it has, or is among those that it has; `*` stands for any characters. */
  readonly value: string
  readonly grants: Grants
}

/**
 * Reads grants by claims, `CLAIM=VALUE:ROLE` each, separated by commas or lines; a role is what `parseGrants` reads. Errors:
 * `InvalidConfig`.
 */
export const parseClaimGrants = (text: string): ClaimGrant[] =>
  text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseClaimGrant)

const parseClaimGrant = (entry: string): ClaimGrant => {
  const refuse = (why: string) =>
    new KirokuError('InvalidConfig', `"${entry.slice(0, 200)}" is no role by a claim: ${why}`)
  // A claim or its value may have colons, as URLs have; a role has none.
  const [, claim = '', value = '', role = ''] = /^([^=]+)=(.+):([^:]*)$/.exec(entry) ?? []
  if (claim === '') throw refuse('write CLAIM=VALUE:ROLE, like groups=ops:operator@orders-*')
  try {
    return { claim, value, grants: parseGrants(role) }
  } catch (error) {
    throw refuse(isKirokuError(error) ? error.message : String(error))
  }
}

/** What somebody may do by all that is claimed of them. */
export const grantsOf = (claims: Readonly<Record<string, unknown>>, by: readonly ClaimGrant[]): Grants =>
  joinGrants(
    by
      .filter(({ claim, value }) => valuesOf(claims, claim).some((each) => isLike(value, each)))
      .map(({ grants }) => grants),
  )

/** A claim of this name, or else at this path. */
export const claimAt = (claims: Readonly<Record<string, unknown>>, claim: string): unknown => {
  if (Object.hasOwn(claims, claim)) return claims[claim]
  let value: unknown = claims
  for (const name of claim.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** Lists are written as such, and scopes in one text. */
const valuesOf = (claims: Readonly<Record<string, unknown>>, claim: string): readonly string[] => {
  const value = claimAt(claims, claim)
  if (typeof value === 'string') return value.includes(' ') ? [value, ...value.split(' ')] : [value]
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
