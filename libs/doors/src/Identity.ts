import { type Grants, KirokuError, type Role, roleOn, roleSomewhere, roleSuffices } from '@kiroku/protocol'

/** Who a caller is, and what they may do. */
export interface Identity {
  readonly name: string
  readonly grants: Grants
  /** Who vouches for the name; absent: the engine's own tokens. */
  readonly issuer?: string
  /** When it ends, in ms since 1970; absent: never. */
  readonly untilMs?: number
}

/** What a request asks for. */
export interface Need {
  readonly role: Role
  /**
   * On what: everything together, a queue by its name, or whatever the caller has it on, where the answer is made of that
   * alone.
   */
  readonly on: 'all' | 'some' | { readonly queue: string }
}

/**
 * The role that a caller has on what they ask for. Only names decide, so that a refusal says nothing about what exists.
 * Errors: `Forbidden`.
 */
export const roleFor = ({ name, grants }: Identity, { role: needs, on }: Need): Role => {
  const has = grants.queues.length === 0 || on === 'all' ? grants.role : roleOf(grants, on)
  if (has !== undefined && roleSuffices(has, needs)) return has
  throw new KirokuError('Forbidden', `token "${name}" ${lackOf(grants, has, on)}; this needs ${needs}`)
}

const roleOf = (grants: Grants, on: Exclude<Need['on'], 'all'>): Role | undefined =>
  on === 'some' ? roleSomewhere(grants) : roleOn(grants, on.queue)

const lackOf = (grants: Grants, has: Role | undefined, on: Need['on']): string => {
  const where =
    typeof on === 'object' && grants.queues.length > 0
      ? ` on queue "${on.queue.slice(0, 100)}"`
      : on === 'all' && grants.queues.length > 0
        ? ' on all queues'
        : ''
  return has === undefined ? `has no role${where}` : `has the role ${has}${where}`
}
