import { limits, type Ranges, State } from '@kiroku/protocol'
import type { Subscription } from '../state/QueueState.ts'
import type { LiveSlab } from '../store/LiveSlab.ts'

/** The delivery that a receive got. */
export interface AttemptNote {
  readonly sub: Subscription
  readonly attempt: string
  readonly delivery: number
  readonly at: number
  readonly numbers: Ranges
  /** Another one has its key, or its subscription is gone. */
  isVoid?: boolean
}

/** Notes looked at whenever one is added: more than one, so that those that are over never pile up. */
const lookedAt = 2
/** Places of the row from which on those that were looked at are given back. */
const rowTidyFrom = 1_000

/** What receives got, by their attempt ids, as long as messages of it may still be held. */
export class Attempts {
  readonly #notes = new Map<string, AttemptNote>()
  /**
   * In the order in which they are looked at next, from `#head` on; a note that is void is passed over. A map in that order would be slow where there are many.
   */
  #row: AttemptNote[] = []
  #head = 0

  /** What a receive with this id got lately. */
  find(sub: Subscription, attempt: string, now: number): AttemptNote | undefined {
    const note = this.#notes.get(keyOf(sub, attempt))
    return note === undefined || note.at + limits.attemptMs <= now ? undefined : note
  }

  /** Notes what a receive got, and forgets some of those of which nothing is held any more. */
  note(note: AttemptNote, live: LiveSlab): void {
    this.restore(note)
    for (let left = Math.min(lookedAt, this.#notes.size); left > 0; left--) {
      const old = this.#next()
      if (old.at + limits.attemptMs > note.at && this.isHeld(old, live)) this.#row.push(old)
      else this.#delete(old)
    }
  }

  #delete({ sub, attempt }: AttemptNote): void {
    this.#notes.delete(keyOf(sub, attempt))
    sub.attemptsNoted--
  }

  /** Takes the first note out of the row; there is one. */
  #next(): AttemptNote {
    for (;;) {
      const note = this.#row[this.#head++]!
      if (this.#head > rowTidyFrom && 2 * this.#head > this.#row.length) {
        this.#row = this.#row.slice(this.#head)
        this.#head = 0
      }
      if (note.isVoid !== true) return note
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
    // Most subscriptions have none left when they go, so the notes of all others need not be scanned.
    if (sub.attemptsNoted === 0) return
    for (const note of this.#notes.values()) {
      if (note.sub !== sub) continue
      note.isVoid = true
      this.#delete(note)
      if (sub.attemptsNoted === 0) return
    }
  }

  /** Moves the time of what was noted at `since` or later. */
  move(since: number, byMs: number): void {
    const all = this.all
    this.#head = 0
    this.#row = all.map((note) => (note.at >= since ? { ...note, at: note.at + byMs } : note))
    for (const note of this.#row) this.#notes.set(keyOf(note.sub, note.attempt), note)
  }

  /** In the order in which they are looked at next. */
  get all(): AttemptNote[] {
    return this.#row.slice(this.#head).filter(({ isVoid }) => isVoid !== true)
  }

  restore(note: AttemptNote): void {
    const key = keyOf(note.sub, note.attempt)
    const before = this.#notes.get(key)
    if (before === undefined) note.sub.attemptsNoted++
    else before.isVoid = true
    this.#notes.set(key, note)
    this.#row.push(note)
  }
}

/** The slot of a message that a delivery holds, or -1. */
export const heldSlot = (live: LiveSlab, { sub, delivery }: AttemptNote, n: number): number => {
  const slot = live.find(sub.index, n)
  return slot >= 0 && live.state[slot] === State.Inflight && live.delivery[slot] === delivery ? slot : -1
}

const keyOf = (sub: Subscription, attempt: string): string => `${sub.index} ${attempt}`
