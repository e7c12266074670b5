import type { CheckpointStore } from '@kiroku/log'
import type { PartitionState } from '@kiroku/partition'
import { limits } from '../limits.ts'
import type { Loaded } from './StateLoad.ts'

/**
 * The newest state of a partition that its next owner can begin with: a checkpoint that the log does not name, which bounds what
 * a take-over replays. There is one at a time; trimming and the record's history go by the checkpoints that the log names.
 */
export class ResumePoint {
  readonly #store: CheckpointStore
  #state: PartitionState | undefined
  /** What lies behind the last stored state. */
  #records = 0
  #bytes = 0
  /** Size of the last stored state. */
  #stateBytes = 0
  /** The record it stands on; 0 when there is none. */
  #seq = 0
  /** Whether the owner before may have left states that are not known here. */
  #mayBeOthers = false

  constructor(store: CheckpointStore) {
    this.#store = store
  }

  begin({ state, frames, bytes, checkpointBytes, resumeSeq, wasFollowing }: Loaded): void {
    this.#state = state
    this.#records = frames
    this.#bytes = bytes
    this.#stateBytes = checkpointBytes
    this.#seq = resumeSeq
    this.#mayBeOthers = wasFollowing
  }

  /** Whether there is one. */
  get exists(): boolean {
    return this.#seq > 0
  }

  /** A record went off. */
  grew(bytes: number): void {
    this.#records++
    this.#bytes += bytes
  }

  /** What it would take of a core to replay what lies behind the last stored state, in ms. */
  get replayMs(): number {
    return this.#records * limits.replayRecordMs + this.#bytes * limits.replayByteMs
  }

  /** Whether the next owner would have much to replay, and a state costs little against what was written since the last. */
  isDue(replayMsMax: number): boolean {
    return this.replayMs >= replayMsMax && this.#bytes >= limits.resumeGrowth * this.#stateBytes
  }

  /** A state was copied, to be stored. */
  taken(): void {
    this.#records = 0
    this.#bytes = 0
  }

  /** Stores a state; the one before it goes. Errors: what the store throws. */
  async store(seq: number, bytes: Uint8Array): Promise<void> {
    const state = this.#state
    await this.#store.put(seq, bytes)
    // Another ownership may have begun meanwhile, with a state and a resume point of its own.
    if (this.#state !== state) return
    await this.replaced(seq, bytes.length)
    this.#seq = seq
  }

  /**
   * A state of this size was stored on `seq`: the one before it goes, as far as the log does not name it, and with the first of an
   * ownership whatever else the owner before left.
   */
  async replaced(seq: number, stateBytes: number): Promise<void> {
    const { givenUp, checkpoints } = this.#state!
    this.#stateBytes = stateBytes
    const before = this.#mayBeOthers ? await this.#store.list() : [this.#seq]
    this.#mayBeOthers = false
    this.#seq = 0
    for (const each of before) {
      if (each === 0 || each >= seq || checkpoints.some((named) => named.seq === each)) continue
      // A repair that gave records up stands on the state among them.
      const isBridge = givenUp.some(({ from, upTo }) => from <= each && each <= upTo)
      if (!isBridge) await this.#store.delete(each)
    }
  }
}
