import type { PartitionState } from '@kiroku/partition'
import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'

/** What the notes ask of their owner. */
interface AliveNotesWork {
  /** Partition time in ms. */
  now(): number
  /** Whether the owner decides. */
  isActive(): boolean
  /** Whether the store takes no frames now. */
  isFull(): boolean
  /** Has a turn begin. */
  wake(): void
}

/**
 * Has an idle owner that holds leases write an empty frame now and then: the next owner takes the time since the last
 * frame for time without an owner, and lengthens leases by it (ADR 8).
 */
export class AliveNotes {
  /** Whether the next turn writes a frame although nothing happened. */
  isDue = false
  readonly #time: Time
  readonly #work: AliveNotesWork
  #state: PartitionState | undefined
  /** Partition time of the last frame that was sent off, in ms. */
  #framedAt = 0
  #cancel: () => void = () => {}

  constructor(time: Time, work: AliveNotesWork) {
    this.#time = time
    this.#work = work
  }

  begin(state: PartitionState): void {
    this.#state = state
    this.framed()
    this.#watch()
  }

  end(): void {
    this.#cancel()
  }

  /** A frame goes off now. */
  framed(): void {
    this.isDue = false
    this.#framedAt = this.#work.now()
  }

  /** The partition is handed over: leases get the time until now from this owner, the time behind it from the next one. */
  drain(): void {
    this.isDue = !this.#work.isFull() && holdsLeases(this.#state!)
  }

  #watch(): void {
    this.#cancel()
    const now = this.#work.now()
    const idleMs = now - this.#framedAt
    const pauseMs = this.#pauseMs(now)
    const mayWrite = this.#work.isActive() && !this.#work.isFull()
    if (idleMs >= pauseMs && mayWrite && holdsLeases(this.#state!)) {
      this.isDue = true
      this.#work.wake()
    }
    const againMs = idleMs < pauseMs ? pauseMs - idleMs : limits.aliveNoteMsMin
    this.#cancel = this.#time.after(Math.min(againMs, limits.aliveNoteMsMin), () => this.#watch())
  }

  #pauseMs(now: number): number {
    const { live } = this.#state!
    const leftMs = live.earliest < 0 ? 0 : live.deadline[live.earliest]! - now
    return Math.max(limits.aliveNoteMsMin, Math.ceil(leftMs * limits.aliveNoteShare))
  }
}

const holdsLeases = (state: PartitionState): boolean =>
  state.subscriptions.some((sub) => sub !== undefined && sub.inflight > 0)
