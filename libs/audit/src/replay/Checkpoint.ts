import type { Snapshot } from '@kiroku/partition'

/** A checkpoint as the engine stores it. */
export interface StoredCheckpoint {
  readonly seq: number
  /** Hash of the record at `seq`. */
  readonly hash: Uint8Array
  readonly stateHash: string
  readonly snapshot: Snapshot
  /** Digest of its bytes, which they were held against. */
  readonly digest: string
}

/**
 * Reads the engine's checkpoints; throws `LogDamaged` for bytes that are not what was stored. Undefined: the format is
 * an old one that is no longer read.
 */
export type DecodeCheckpoint = (bytes: Uint8Array) => StoredCheckpoint | undefined
