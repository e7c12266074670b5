import type { Session } from '@kiroku/api/answers'
import { type Role, roleOn, roleSomewhere } from '@kiroku/protocol'

/** What a session says of its roles. */
export type Roles = Pick<Session, 'role' | 'grants'>

/** The caller's role on a queue; without one, the highest that they have on any. */
export const roleOf = ({ role, grants }: Roles, queue?: string): Role | undefined =>
  grants === undefined ? role : queue === undefined ? roleSomewhere(grants) : roleOn(grants, queue)

/** Whether there are queues that the caller may not know of: what is of all queues is not for them. */
export const isRestricted = ({ grants }: Roles): boolean => grants !== undefined && grants.role === undefined
