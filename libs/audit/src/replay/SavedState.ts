import type { Snapshot } from '@kiroku/partition'

/**
 * A partition's state at a record, saved so that looking back need not start from the beginning. Never the
 * truth.
 */
export interface SavedState {
  readonly partition: number
  /** Sequence of the last record that it contains, a frame. */
  readonly seq: number
  /** Hash of that record: without a match the moment belongs to another log. */
  readonly hash: Uint8Array
  /** Work of replaying the record up to here; see `workOf`. */
  readonly work: number
  readonly snapshot: Snapshot
}

/** What a store knows of a moment without reading it. */
export interface SavedStateNote {
  readonly seq: number
  readonly work: number
  /** Bytes that it takes. */
  readonly bytes: number
}

/**
 * Where moments are stored. All of them can be rebuilt from the log, so a store silently drops what it cannot
 * read back intact, and removes moments by itself to stay within its limit of bytes.
 */
export interface SavedStateStore {
  /** A partition's moments, oldest first. */
  list(partition: number): Promise<readonly SavedStateNote[]>
  /** Undefined when it is missing, or not what was stored. */
  get(partition: number, seq: number): Promise<SavedState | undefined>
  /** Stores a moment, which is not changed afterwards; one of the same sequence is replaced. */
  put(moment: SavedState): Promise<void>
  delete(partition: number, seq: number): Promise<void>
}
