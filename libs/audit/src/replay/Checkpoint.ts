import type { Snapshot } from '@kiroku/partition'

/** A checkpoint as the engine stores it. */
export interface StoredCheckpoint {
  readonly seq: number
  /** Hash of the record at `seq`. */
  readonly hash: Uint8Array
  readonly stateHash: string
  readonly snapshot: Snapshot
  /** Digest of its bytes, which was checked. */
  readonly digest: string
}

/**
 * Reads the engine's checkpoints; throws `LogDamaged` for bytes that are not what was stored. Undefined: an
 * old format that is no longer read.
 */
export type DecodeCheckpoint = (bytes: Uint8Array) => StoredCheckpoint | undefined
