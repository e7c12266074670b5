import { ChurnMap } from '@kiroku/protocol'
import type { Poll } from './Poll.ts'

/** Receives that wait for messages of one group, by group; they belong to the ownership, not to the record. */
export class GroupPolls {
  readonly #byGroup = new ChurnMap<string, Set<Poll>>()
  /** Groups that have both, as far as is known: a receive that waits and something to deliver. */
  readonly #woken = new Set<string>()

  get isEmpty(): boolean {
    return this.#byGroup.size === 0
  }

  /** The groups to look at; one may be let sleep or woken meanwhile. */
  get woken(): Iterable<string> {
    return this.#woken
  }

  /** Looks at each that waits; one may end meanwhile. */
  each(look: (poll: Poll) => void): void {
    for (const polls of this.#byGroup.values()) for (const poll of polls) look(poll)
  }

  /** The one that has waited longest. */
  first(group: string): Poll | undefined {
    for (const poll of this.#byGroup.get(group) ?? []) return poll
    return undefined
  }

  add(group: string, poll: Poll): void {
    const polls = this.#byGroup.get(group)
    if (polls === undefined) this.#byGroup.set(group, new Set([poll]))
    else polls.add(poll)
    this.#woken.add(group)
  }

  /** Removes a receive that ended, and its group with the last one. */
  delete(group: string, poll: Poll): void {
    const polls = this.#byGroup.get(group)
    if (polls?.delete(poll) !== true || polls.size > 0) return
    this.#byGroup.delete(group)
    this.#woken.delete(group)
  }

  /** A message of the group can be delivered. Returns whether a receive waits for it. */
  wake(group: string): boolean {
    if (!this.#byGroup.has(group)) return false
    this.#woken.add(group)
    return true
  }

  /** Nothing of the group can be delivered now. */
  letSleep(group: string): void {
    this.#woken.delete(group)
  }
}
