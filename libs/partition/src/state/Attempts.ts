import { State, type Ranges } from '@kiroku/message'
import { limits } from '../limits.ts'
import type { LiveSlab } from './LiveSlab.ts'
import type { Subscription } from './Subscription.ts'

/** The delivery that a receive got. */
export interface AttemptNote {
  readonly sub: Subscription
  readonly attempt: string
  readonly delivery: number
  readonly at: number
  readonly numbers: Ranges
}

/** Notes looked at whenever one is added: more than one, so that those that are over never pile up. */
const lookedAt = 2

/** What receives got, by their attempt ids, as long as messages of it may still be held. */
export class Attempts {
  /** In the order in which they are looked at next. */
  readonly #notes = new Map<string, AttemptNote>()

  /** What a receive with this id got lately. */
  find(sub: Subscription, attempt: string, now: number): AttemptNote | undefined {
    const note = this.#notes.get(keyOf(sub, attempt))
    return note === undefined || note.at + limits.attemptMs <= now ? undefined : note
  }

  /** Notes what a receive got, and forgets some of those of which nothing is held any more. */
  note(note: AttemptNote, live: LiveSlab): void {
    const key = keyOf(note.sub, note.attempt)
    this.#notes.delete(key)
    this.#notes.set(key, note)
    let left = Math.min(lookedAt, this.#notes.size)
    for (const [oldKey, old] of this.#notes) {
      if (left-- === 0) return
      this.#notes.delete(oldKey)
      if (old.at + limits.attemptMs > note.at && this.isHeld(old, live)) this.#notes.set(oldKey, old)
    }
  }

  /** Whether any message of it is still held. */
  isHeld(note: AttemptNote, live: LiveSlab): boolean {
    const { sub, numbers } = note
    if (sub.inflight === 0) return false
    for (let i = 0; i < numbers.length; i += 2)
      for (let n = numbers[i]!, end = n + numbers[i + 1]!; n < end; n++)
        if (heldSlot(live, note, n) >= 0) return true
    return false
  }

  /** Forgets what a subscription had. */
  drop(sub: Subscription): void {
    for (const [key, note] of this.#notes) if (note.sub === sub) this.#notes.delete(key)
  }

  get all(): Iterable<AttemptNote> {
    return this.#notes.values()
  }

  restore(note: AttemptNote): void {
    this.#notes.set(keyOf(note.sub, note.attempt), note)
  }
}

/** The slot of a message that a delivery holds, or -1. */
export const heldSlot = (live: LiveSlab, { sub, delivery }: AttemptNote, n: number): number => {
  const slot = live.find(sub.index, n)
  return slot >= 0 && live.state[slot] === State.Inflight && live.delivery[slot] === delivery ? slot : -1
}

const keyOf = (sub: Subscription, attempt: string): string => `${sub.index} ${attempt}`
