import { decodeRecord, type PartitionLog } from '@kiroku/log'
import type { PartitionState } from '@kiroku/partition'
import type { CheckpointsDescription } from '@kiroku/protocol'
import type { Loaded } from './StateLoad.ts'
import { bytesOf, type StoredCheckpoint } from './thin.ts'

/** A checkpoint that was stored and read back, and the oldest frame with a body that it needs. */
export interface Kept extends StoredCheckpoint {
  readonly oldestBody: number
}

/** The stored checkpoints of a partition that its log names: those of this ownership, and those of earlier ones. */
export class KeptCheckpoints {
  readonly #log: PartitionLog
  #state: PartitionState | undefined
  /** Oldest first: the one that the state was rebuilt from, and those made since. */
  #own: Kept[] = []
  /** What the log names of earlier ownerships, oldest first; undefined: not looked up yet. */
  #inherited: StoredCheckpoint[] | undefined

  constructor(log: PartitionLog) {
    this.#log = log
  }

  begin({
    state,
    checkpointSeq: seq,
    checkpointOldestBody: oldestBody,
    checkpointBytes: bytes,
    sinceMs,
  }: Loaded): void {
    this.#state = state
    this.#own = oldestBody === undefined ? [] : [{ seq, at: sinceMs, oldestBody, bytes }]
    this.#inherited = undefined
    // What cannot be looked up now is when the next one is stored.
    this.lookUp().catch(() => undefined)
  }

  end(): void {
    this.#state = undefined
  }

  get last(): Kept | undefined {
    return this.#own.at(-1)
  }
  /** The one that the log may be trimmed to: recovery has two to choose from then. */
  get older(): Kept | undefined {
    return this.#own.at(-2)
  }

  add(kept: Kept): void {
    this.#own.push(kept)
  }

  /** All of them, oldest first, once they were looked up. */
  get all(): StoredCheckpoint[] {
    return [...(this.#inherited ?? []), ...this.#own]
  }

  /** How many there are, and their size; undefined: not known yet. */
  describe(): CheckpointsDescription | undefined {
    if (this.#inherited === undefined) return undefined
    return { count: this.all.length, bytes: bytesOf(this.all) }
  }

  /** Deletes some; what fails is tried again behind the next checkpoint. */
  async delete(checkpoints: readonly StoredCheckpoint[]): Promise<void> {
    for (const { seq } of checkpoints) {
      try {
        await this.#log.checkpoints.delete(seq)
      } catch {
        break
      }
      this.#forget((each) => each === seq)
    }
  }

  /** Deletes what is stored of those before `seq`, also such as the log does not name. Errors: what the store throws. */
  async deleteBefore(seq: number): Promise<void> {
    for (const each of await this.#log.checkpoints.list())
      if (each < seq) await this.#log.checkpoints.delete(each)
    this.#forget((each) => each < seq)
  }

  #forget(isGone: (seq: number) => boolean): void {
    this.#own = this.#own.filter(({ seq }) => !isGone(seq))
    this.#inherited = this.#inherited?.filter(({ seq }) => !isGone(seq))
  }

  /** Looks up those of earlier ownerships. Errors: what the store throws. */
  async lookUp(): Promise<void> {
    if (this.#inherited !== undefined) return
    const state = this.#state!
    const named = new Set(state.checkpoints.map(({ seq }) => seq))
    const own = this.#own[0]?.seq ?? Infinity
    const found: StoredCheckpoint[] = []
    for (const seq of await this.#log.checkpoints.list()) {
      if (seq >= own || !named.has(seq)) continue
      const bytes = await this.#log.checkpoints.size(seq)
      const stored = await this.#log.get(seq)
      if (bytes === undefined || stored === undefined || stored.foreign) continue
      const record = decodeRecord(stored.data)
      if (record.kind === 'frame') found.unshift({ seq, at: record.at, bytes })
    }
    if (this.#state === state) this.#inherited ??= found
  }
}
