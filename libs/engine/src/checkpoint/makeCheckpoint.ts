import { bodiesBefore, oldestBodySeq, type Snapshot } from '@kiroku/partition'
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
  /** The oldest bodies from before the last checkpoint, as many as are carried at once. */
  readonly old: ReturnType<typeof bodiesBefore>
}

/** Does everything that goes through the whole state; on a thread of its own where that is large. */
export const makeCheckpoint = (task: CheckpointTask): MadeCheckpoint => {
  const { snapshot, seq, hash, largeBodies, behind } = task
  const oldestBody = oldestBodySeq(snapshot)
  return {
    ...encodeCheckpoint(snapshot, seq, hash, largeBodies),
    oldestBody,
    old: bodiesBefore(snapshot, oldestBody < behind ? behind : 0, limits.carryRunsMax),
  }
}
