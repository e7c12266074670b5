import type { Actor } from './Actor.ts'

/** Ownership and the log itself. */
export type OwnershipEvent =
  /** `reason`: why an owner took its own partition over again; absent: it was not the owner before. */
  | { type: 'OwnerChanged'; epoch: number; node: string; part: number; of: number; reason?: string }
  /**
   * Partition time goes on at `now`, after `gapMs` that count against no lease. With `dispute` the store's clock and the
   * owner's are too far apart for a step to either: the time goes on from the last that is on record, and whatever
   * comes until the next of these moves by its `gapMs`, too. `by`: who said which clock is right.
   */
  | {
      type: 'ClockResumed'
      now: number
      gapMs: number
      dispute?: { readonly storeMs: number; readonly nodeMs: number }
      clock?: 'store' | 'node'
      by?: Actor
    }
  | { type: 'Checkpointed'; seq: number; digest: string; stateHash: string }
  | { type: 'Trimmed'; upTo: number }
  /** The store had `freeBytes` left of `bytesMax`, so the log is trimmed to its last two checkpoints, whatever its limits say. */
  | { type: 'StoreShort'; freeBytes: number; bytesMax: number; optional: true }
  | { type: 'ForeignRecordSkipped'; seq: number }
  /** Every node reads feature level `version`: from here on what came with it, and before, may be on record. */
  | { type: 'ClusterVersionRaised'; version: number; by: Actor }
  /**
   * The records `from` to `upTo` are given up; `upTo` is below `from` where only the end of the log was lost. With
   * an empty `hash` the frame of this event continues the chain from the record before `from`, and what was given
   * up never happened. Otherwise the chain goes on behind `upTo`, whose hash it is in hex digits, and a checkpoint
   * holds the state there. Every counter leaves out `skip` numbers, since those given up may be known outside.
   */
  | { type: 'Repaired'; from: number; upTo: number; hash: string; skip: number; note: string; by: Actor }
