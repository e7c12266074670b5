import type { PartitionState } from '@kiroku/partition'
import { formatBytes, type MemoryDescription } from '@kiroku/protocol'
import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'

/**
 * What the messages of all partitions of a node take in memory, and may take. Beyond it sends are refused, before the system
 * ends the process for it: what is stored already must fit in when it starts again.
 */
export class StateMemory {
  readonly bytesMax: number
  readonly #states: () => Iterable<PartitionState>
  readonly #time: Time
  readonly #onFull: (reason: string) => void
  #lookedMs = Number.NEGATIVE_INFINITY
  #bytes = 0
  #isFull = false

  /** @param onFull called, with the reason, when it becomes full */
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
    return this.#isFull
  }

  /** Why they must. */
  get reason(): string {
    return `messages take some ${formatBytes(this.#bytes)} of memory, and this node has ${formatBytes(this.bytesMax)} for them`
  }

  /** undefined: there is no limit. */
  describe(): MemoryDescription | undefined {
    const { bytes, bytesMax } = this
    return bytesMax === Infinity ? undefined : { bytes, bytesMax }
  }

  #look(): void {
    const nowMs = this.#time.monotonicMs()
    if (nowMs - this.#lookedMs < limits.stateLookMs) return
    this.#lookedMs = nowMs
    let bytes = 0
    for (const state of this.#states()) bytes += state.bytes
    this.#bytes = bytes
    const wasFull = this.#isFull
    this.#isFull = bytes > this.bytesMax
    if (this.#isFull && !wasFull) this.#onFull(this.reason)
  }
}
