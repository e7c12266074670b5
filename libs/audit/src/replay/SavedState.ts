import type { Snapshot } from '@kiroku/partition'

/** A partition's state at a record, kept so that looking back need not begin at the beginning. Never the truth. */
export interface SavedState {
  readonly partition: number
  /** Sequence of the last record that it contains, a frame. */
  readonly seq: number
  /** Hash of that record: without it the moment belongs to another log. */
  readonly hash: Uint8Array
  /** How much work it is to replay the record up to here; see `workOf`. */
  readonly work: number
  readonly snapshot: Snapshot
}

/** What a store tells of a moment without reading it. */
export interface SavedStateNote {
  readonly seq: number
  readonly work: number
  /** Room that it takes. */
  readonly bytes: number
}

/**
 * Where moments lie. All of it can be made anew from the log, so a store drops in silence what it cannot read back
 * as it was stored, and removes moments by itself to stay within its limit of bytes.
 */
export interface SavedStateStore {
  /** Notes of a partition's moments, oldest first. */
  list(partition: number): Promise<readonly SavedStateNote[]>
  /** Undefined when it is not there, or not what was stored. */
  get(partition: number, seq: number): Promise<SavedState | undefined>
  /** Stores a moment, which is not changed afterwards; one of the same sequence is replaced. */
  put(moment: SavedState): Promise<void>
  delete(partition: number, seq: number): Promise<void>
}
