import { limits } from '../limits.ts'

/** What is free in a store by its last answer, less what was stored since. */
export class Room {
  #freeBytes = Infinity
  #bytesMax = Infinity

  /** The store's answer; undefined when it cannot tell any more. */
  told(room: { readonly freeBytes: number; readonly bytesMax: number } | undefined, since = 0): void {
    this.#freeBytes = room === undefined ? Infinity : room.freeBytes - since
    this.#bytesMax = room?.bytesMax ?? Infinity
  }
  stored(bytes: number): void {
    this.#freeBytes -= bytes
  }
  /** Bytes that are free; infinity when not known. */
  get freeBytes(): number {
    return Math.max(0, this.#freeBytes)
  }
  /** Bytes that the store can hold; infinity when not known. */
  get bytesMax(): number {
    return this.#bytesMax
  }
  /** Bytes that sends leave free, for everything that makes room again. */
  get reserveBytes(): number {
    return Math.min(limits.reserveBytesMax, this.#bytesMax * limits.reserveShare)
  }
  /** Whether a send of this size may follow those that wait: they must leave the reserve free, and it a part of that. */
  takes(bytes: number, waitingBytes: number): boolean {
    const left = this.#freeBytes - waitingBytes
    return left === Infinity || (left >= this.reserveBytes && left - bytes >= this.#kept('sends'))
  }
  /** Whether this many bytes may be stored again so that more can go; what stays is for a fence. */
  carries(bytes: number, waitingBytes: number): boolean {
    const left = this.#freeBytes - waitingBytes - bytes
    return left === Infinity || left >= this.#kept('carried')
  }
  /** Whether a delivery may be recorded: one that is retried again and again takes room each time and makes none. */
  get delivers(): boolean {
    return this.#freeBytes === Infinity || this.freeBytes >= this.#kept('deliveries')
  }
  /** Free bytes as a multiple of the reserve. */
  get reserves(): number {
    return this.#freeBytes === Infinity ? Infinity : this.freeBytes / this.reserveBytes
  }
  #kept(behind: keyof typeof limits.reserveKept): number {
    return this.reserveBytes * limits.reserveKept[behind]
  }
}
