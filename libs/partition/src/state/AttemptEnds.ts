import { limits } from '../limits.ts'
import type { Subscription } from './Subscription.ts'

/** A stretch of time, and how attempts ended in it. */
interface Slot {
  readonly stretch: number
  ended: number
  failed: number
  readonly errors: Map<string, number>
}

/** How attempts of a subscription ended lately. */
export interface RecentEnds {
  readonly ended: number
  readonly failed: number
  /** The most frequent error; empty: none failed, or no reason was given. */
  readonly error: string
}

/**
 * Counts how attempts end, by subscription, for about the last minute. It belongs to an ownership, not to the record,
 * and begins empty with it.
 */
export class AttemptEnds {
  readonly #subs = new Map<Subscription, Slot[]>()
  #swept = 0

  /** Notes that `count` attempts ended at partition time `now`, in ms; if there is an error, they failed. */
  note(sub: Subscription, count: number, now: number, error?: string): void {
    const slot = this.#slot(sub, Math.floor(now / limits.timeStretchMs))
    slot.ended += count
    if (error === undefined) return
    slot.failed += count
    const { errors } = slot
    const text = error.slice(0, limits.recentErrorCharactersMax)
    if (errors.has(text) || errors.size < limits.recentErrorsMax)
      errors.set(text, (errors.get(text) ?? 0) + count)
  }

  /** What is known of a subscription at partition time `now` in ms. */
  of(sub: Subscription, now: number): RecentEnds {
    const oldest = Math.floor(now / limits.timeStretchMs) - limits.timeStretches + 1
    const recent = (this.#subs.get(sub) ?? []).filter(({ stretch }) => stretch >= oldest)
    const errors = new Map<string, number>()
    for (const slot of recent)
      for (const [error, count] of slot.errors) errors.set(error, (errors.get(error) ?? 0) + count)
    const [most] = [...errors].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    return {
      ended: recent.reduce((sum, { ended }) => sum + ended, 0),
      failed: recent.reduce((sum, { failed }) => sum + failed, 0),
      error: most?.[0] ?? '',
    }
  }

  #slot(sub: Subscription, stretch: number): Slot {
    if (stretch !== this.#swept) this.#sweep(stretch)
    let slots = this.#subs.get(sub)
    if (slots === undefined) this.#subs.set(sub, (slots = []))
    let slot = slots.at(-1)
    if (slot?.stretch !== stretch) slots.push((slot = { stretch, ended: 0, failed: 0, errors: new Map() }))
    return slot
  }

  /** Forgets what is no longer lately. */
  #sweep(stretch: number): void {
    this.#swept = stretch
    for (const [sub, slots] of this.#subs) {
      const recent = slots.filter((slot) => slot.stretch > stretch - limits.timeStretches)
      if (recent.length === 0) this.#subs.delete(sub)
      else this.#subs.set(sub, recent)
    }
  }
}
