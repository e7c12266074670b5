import { KirokuError } from '../error/KirokuError.ts'
import { limits } from '../limits.ts'

/** What a caller may do: a viewer reads, an operator also handles messages, an admin also changes queues. */
export type Role = 'viewer' | 'operator' | 'admin'

/** A role on the queues with names like this one, in which `*` stands for any characters. */
export interface QueueGrant {
  readonly role: Role
  readonly queues: string
}

/** The roles of a caller: on everything, and on some queues. */
export interface Grants {
  /** On all queues, and on what belongs to none; absent: none. */
  readonly role?: Role
  /** What is no more than `role` is left out. */
  readonly queues: readonly QueueGrant[]
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 }

/** Whether `has` includes what `needs` may do. */
export const roleSuffices = (has: Role | undefined, needs: Role): boolean =>
  has !== undefined && ranks[has] >= ranks[needs]

const highest = (a: Role | undefined, b: Role | undefined): Role | undefined =>
  a === undefined || (b !== undefined && ranks[b] > ranks[a]) ? b : a

/** How grants are written. */
export const grantsRule =
  'the role must be viewer, operator or admin, or a role on queues, like operator@orders-*; + joins several'

/** Reads grants, such as `admin`, or `viewer+operator@orders-*+operator@mail`. Errors: `InvalidArgument`. */
export const parseGrants = (text: string): Grants => joinGrants(text.split('+').map(parseGrant))

const parseGrant = (text: string): Grants => {
  const [role = '', queues, ...rest] = text.split('@')
  if (!isRole(role) || rest.length > 0) throw new KirokuError('InvalidArgument', grantsRule)
  if (queues === undefined || queues === '*') return { role, queues: [] }
  if (!/^[A-Za-z0-9_.*-]+$/.test(queues) || queues.length > limits.queueNameCharactersMax)
    throw new KirokuError(
      'InvalidArgument',
      `"${queues.slice(0, limits.queueNameCharactersMax)}" is no name of a queue, and no pattern like orders-*`,
    )
  return { queues: [{ role, queues }] }
}

/** What somebody may do who has all of these. */
export const joinGrants = (all: readonly Grants[]): Grants => {
  const role = all.map((each) => each.role).reduce(highest, undefined)
  const queues = new Map<string, Role>()
  for (const grant of all.flatMap((each) => each.queues))
    if (!roleSuffices(role, grant.role))
      queues.set(grant.queues, highest(queues.get(grant.queues), grant.role)!)
  return {
    ...(role === undefined ? {} : { role }),
    queues: [...queues]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, own]) => ({ role: own, queues: name })),
  }
}

/** Grants as they are written. */
export const grantsText = ({ role, queues }: Grants): string =>
  [...(role === undefined ? [] : [role]), ...queues.map((each) => `${each.role}@${each.queues}`)].join('+')

const isRole = (text: string): text is Role => Object.hasOwn(ranks, text)

/** The role on a queue; undefined: none, not even to know whether there is one. */
export const roleOn = ({ role, queues }: Grants, queue: string): Role | undefined => {
  let found = role
  for (const grant of queues) if (isLike(grant.queues, queue)) found = highest(found, grant.role)
  return found
}

/** The highest role that somebody has on anything. */
export const roleSomewhere = ({ role, queues }: Grants): Role | undefined =>
  queues.map((grant) => grant.role).reduce(highest, role)

/** Whether some queues are not to be seen, nor anything that is of all of them. */
export const isRestricted = ({ role }: Grants): boolean => role === undefined

/** Whether a name is like a pattern. */
export const isLike = (pattern: string, name: string): boolean => {
  const [first = '', ...pieces] = pattern.split('*')
  if (pieces.length === 0) return name === pattern
  const last = pieces.pop()!
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  const end = name.length - last.length
  let at = first.length
  for (const piece of pieces) {
    at = name.indexOf(piece, at)
    if (at < 0) return false
    at += piece.length
  }
  return at <= end
}
