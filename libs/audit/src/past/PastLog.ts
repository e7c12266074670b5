import type { PartitionState, QueueState } from '@kiroku/partition'
import type { KirokuError } from '@kiroku/protocol'
import type { DecodeCheckpoint } from '../replay/Checkpoint.ts'
import type { OnProgress } from '../replay/Progress.ts'
import type { Replay } from '../replay/Replay.ts'
import type { SavedStateStore } from '../replay/SavedState.ts'

/** Options for looking back. */
export interface PastOptions {
  readonly decodeCheckpoint: DecodeCheckpoint
  /** Saved states that shorten the replay; without them it starts from a checkpoint or the beginning. */
  readonly moments?: SavedStateStore
  /** The time now in ms since 1970: later moments are refused. */
  readonly now: number
  readonly onProgress?: OnProgress
  /** Lets other work run. */
  readonly pause?: () => Promise<void>
}

/**
 * A queue in one partition at a moment. The states belong to the reader, which moves on with the next
 * question.
 */
export interface PastPart {
  readonly partition: number
  readonly seq: number
  readonly at: number
  readonly state: PartitionState
  readonly queue: QueueState
  readonly pass: Replay
}

/** A queue at a moment: its home, and the parts it had then. */
export interface PastQueue {
  readonly at: number
  readonly places: readonly PastPart[]
}

/** A whole partition at a moment; the state belongs to the reader too. */
export interface PastPartition {
  readonly partition: number
  /** Last record that the moment contains; 0: the partition begins later. */
  readonly seq: number
  readonly state: PartitionState
}

/** A partition whose state at a moment cannot be read. */
export interface MissingPartition {
  readonly partition: number
  /** `LogDamaged`, `LogShortened`, `FutureVersion`, or `BeyondRecord`. */
  readonly problem: Pick<KirokuError, 'id' | 'message' | 'help'>
}

/** All partitions at a moment: those that can be read, and the others. */
export interface PastLog {
  readonly at: number
  readonly all: readonly PastPartition[]
  readonly missing: readonly MissingPartition[]
}
