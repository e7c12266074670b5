import type { StoreRoom } from '@kiroku/log'
import type { Loop } from '../core/Loop.ts'
import type { Party } from '../core/Party.ts'

/** More than a seed brings about. */
export const plentyBytes = 1_000_000_000

/** What sends leave of a store, and how often a node asks for its room, in ms (ADR 0026). */
const reserveShare = 0.1
/** What deliveries leave of the reserve. */
const deliveryReserve = 1 / 8
const askMs = 2_000

/** What one node knows of the room of the store that all partitions share: by what it was told last, less what it sent off since. */
export class KnownRoom {
  readonly #loop: Loop
  readonly #party: Party
  #freeBytes = Infinity
  #bytesMax = Infinity
  /** Bytes sent off so far. */
  #sent = 0
  #askedMs = 0
  #shortMs = -1
  /**
   * Partitions that were refused an append for lack of room: until when sends are refused for that, in ms.
   */
  readonly #refusedUntil = new Map<number, number>()
  /** Appends that were refused for lack of room. */
  refusals = 0

  constructor(loop: Loop, party: Party) {
    this.#loop = loop
    this.#party = party
  }

  /** It asks; what is returned takes the answer. */
  asks(): (room: StoreRoom | undefined) => void {
    this.#askedMs = this.#loop.livedMs
    const before = this.#sent
    return (room) => {
      this.#noteShort()
      this.#freeBytes = room === undefined ? Infinity : room.freeBytes - (this.#sent - before)
      this.#bytesMax = room?.bytesMax ?? Infinity
    }
  }

  /** An append leaves. */
  sends(bytes: number): void {
    this.#noteShort()
    this.#sent += bytes
    this.#freeBytes -= bytes
  }

  /**
   * It learns that an append was refused for lack of room; sends wait until it has taken its partition over
   * again, and a while.
   */
  refused(partition: number): void {
    this.refusals++
    this.#refusedUntil.set(partition, Infinity)
  }

  /** A fence leaves. */
  fences(partition: number): void {
    if (this.#refusedUntil.get(partition) === Infinity)
      this.#refusedUntil.set(partition, this.#loop.nowMs + askMs)
  }

  /** Whether an append was refused for lack of room lately. */
  isRefused(partition: number): boolean {
    return (this.#refusedUntil.get(partition) ?? -1) >= this.#loop.nowMs
  }
  /** Whether that is so of any partition. */
  get isRefusedAnywhere(): boolean {
    return [...this.#refusedUntil.keys()].some((partition) => this.isRefused(partition))
  }
  get freeBytes(): number {
    return this.#freeBytes
  }
  /** Whether less is left than the reserve. */
  get isFull(): boolean {
    return this.#freeBytes < this.#bytesMax * reserveShare
  }
  /** Whether less is left than deliveries leave. */
  get isSpent(): boolean {
    return this.#freeBytes < this.#bytesMax * reserveShare * deliveryReserve
  }
  /** Whether nothing of the seed can make it short. */
  get isPlenty(): boolean {
    return this.#freeBytes > plentyBytes / 2
  }
  /** Whether it asked as often as it must, but for a freeze. */
  get isFresh(): boolean {
    if (this.#loop.nowMs <= this.#party.lateUntilMs + 1) return true
    return this.#loop.livedMs - this.#askedMs <= askMs + 1
  }
  /** When less than twice the reserve was left last, in ms of virtual time; -1: never. */
  get shortMs(): number {
    this.#noteShort()
    return this.#shortMs
  }

  #noteShort(): void {
    if (this.#freeBytes < 2 * this.#bytesMax * reserveShare) this.#shortMs = this.#loop.nowMs
  }
}
