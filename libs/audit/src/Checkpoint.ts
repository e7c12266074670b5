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

/** Reads the engine's checkpoints; throws `LogDamaged` for bytes that are not what was stored. */
export type DecodeCheckpoint = (bytes: Uint8Array) => StoredCheckpoint
