import { bodiesBefore, oldestBodySeq, type OldBodies, type Snapshot } from '@kiroku/partition'
import { limits } from '../limits.ts'
import { encodeCheckpoint, type EncodedCheckpoint } from './CheckpointCodec.ts'

/** What a checkpoint is made of. */
export interface CheckpointTask {
  readonly snapshot: Snapshot
  readonly seq: number
  readonly hash: Uint8Array
  readonly largeBodies: readonly number[]
  /** Sequence of the checkpoint before it; 0 when there is none. */
  readonly behind: number
}

/** A checkpoint, and what it still needs of the log. */
export interface MadeCheckpoint extends EncodedCheckpoint {
  /** Oldest frame with a body that is still needed. */
  readonly oldestBody: number
  /** Bodies from before the last checkpoint, up to one more than may be carried. */
  readonly old: readonly OldBodies[]
}

/** Does everything that goes through the whole state; on a thread of its own where that is large. */
export const makeCheckpoint = (task: CheckpointTask): MadeCheckpoint => {
  const { snapshot, seq, hash, largeBodies, behind } = task
  const oldestBody = oldestBodySeq(snapshot)
  return {
    ...encodeCheckpoint(snapshot, seq, hash, largeBodies),
    oldestBody,
    old: oldestBody < behind ? bodiesBefore(snapshot, behind, limits.carryRunsMax + 1) : [],
  }
}
