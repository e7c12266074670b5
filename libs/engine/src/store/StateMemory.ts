import type { PartitionState } from '@kiroku/partition'
import { type MemoryDescription, memoryTrouble } from '@kiroku/protocol'
import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'

/**
 * What the messages of all partitions that a node owns or follows take in memory, and may take. Beyond it sends are refused, and further on what was
 * never delivered waits, before the system ends the process for it: what is stored already must fit in when it starts again.
 */
export class StateMemory {
  readonly bytesMax: number
  readonly #states: () => Iterable<PartitionState>
  readonly #time: Time
  readonly #onFull: (reason: string) => void
  #lookedMs = Number.NEGATIVE_INFINITY
  #bytes = 0
  #holdsUntouched = false

  /** @param onFull called, with what waits and why, when it becomes full, and when more than sends must wait */
  constructor(
    bytesMax: number,
    states: () => Iterable<PartitionState>,
    time: Time,
    onFull: (reason: string) => void,
  ) {
    this.bytesMax = bytesMax
    this.#states = states
    this.#time = time
    this.#onFull = onFull
  }

  /** What they take now, in bytes, about. */
  get bytes(): number {
    this.#look()
    return this.#bytes
  }

  /** Whether sends must wait. */
  get isFull(): boolean {
    this.#look()
    return this.#bytes > this.bytesMax
  }

  /** Whether messages that were never delivered must wait for those that were. */
  get holdsUntouched(): boolean {
    this.#look()
    return this.#holdsUntouched
  }

  /** What waits, and why; empty when nothing does. */
  get reason(): string {
    return memoryTrouble('this node', this.#description) ?? ''
  }

  /** undefined: there is no limit. */
  describe(): MemoryDescription | undefined {
    if (this.bytesMax === Infinity) return undefined
    this.#look()
    return this.#description
  }

  get #description(): MemoryDescription {
    const described = { bytes: this.#bytes, bytesMax: this.bytesMax }
    return this.#holdsUntouched ? { ...described, holdsUntouched: true } : described
  }

  #look(): void {
    const nowMs = this.#time.monotonicMs()
    if (nowMs - this.#lookedMs < limits.stateLookMs) return
    this.#lookedMs = nowMs
    let bytes = 0
    let delivered = 0
    for (const state of this.#states()) {
      bytes += state.bytes
      delivered += state.deliveredBytes
    }
    const wasFull = this.#bytes > this.bytesMax
    const held = this.#holdsUntouched
    this.#bytes = bytes
    const deliveredMax = this.bytesMax * limits.deliveredShare
    this.#holdsUntouched = bytes > this.bytesMax + deliveredMax && delivered > deliveredMax
    if ((bytes > this.bytesMax && !wasFull) || (this.#holdsUntouched && !held)) this.#onFull(this.reason)
  }
}
