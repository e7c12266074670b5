import { roleFor, type Identity } from '@kiroku/doors'
import { type Grants, isRestricted, type Role, roleOn, roleSuffices } from '@kiroku/protocol'

/** The longest time of a timer of Node.js. */
const timerMsMax = 2 ** 31 - 1

/** What a caller may see and do, where answers are made for them. */
export class Granted {
  readonly #caller: Identity

  constructor(caller: Identity) {
    this.#caller = caller
  }

  /** Whether there are queues that the caller may not know of. */
  get isRestricted(): boolean {
    return isRestricted(this.#caller.grants)
  }

  /** Whether roles differ by queue. */
  get differs(): boolean {
    return this.#caller.grants.queues.length > 0
  }

  /** Aborted when the caller's token ends, and by `other`. */
  until(other: AbortSignal): AbortSignal {
    const { untilMs } = this.#caller
    if (untilMs === undefined) return other
    const leftMs = Math.max(0, Math.min(untilMs - Date.now(), timerMsMax))
    return AbortSignal.any([other, AbortSignal.timeout(leftMs)])
  }

  get grants(): Grants {
    return this.#caller.grants
  }

  /** Whether the caller may know of a queue. */
  readonly sees = (queue: string): boolean => this.#roleOn(queue) !== undefined

  /** Whether the caller handles the messages of a queue. */
  readonly handles = (queue: string): boolean => roleSuffices(this.#roleOn(queue), 'operator')

  /** Errors: `Forbidden`. */
  require(role: Role, queue: string): void {
    roleFor(this.#caller, { role, on: { queue } })
  }

  /** As what questions about the record are asked. */
  get asking(): { readonly asOperator: boolean; readonly grants?: Grants } {
    const { grants } = this.#caller
    const asOperator = roleSuffices(grants.role, 'operator')
    return this.differs ? { asOperator, grants } : { asOperator }
  }

  /** The queues whose messages the caller handles, where these are not all. */
  get handled(): { readonly grants?: Grants } {
    const { role, queues } = this.#caller.grants
    if (!this.differs || roleSuffices(role, 'operator')) return {}
    return { grants: { queues: queues.filter((grant) => roleSuffices(grant.role, 'operator')) } }
  }

  #roleOn(queue: string): Role | undefined {
    return roleOn(this.#caller.grants, queue)
  }
}
