import type { Actor } from '@kiroku/protocol'
import type { DecodeCheckpoint } from '../replay/Checkpoint.ts'
import type { OnProgress } from '../replay/Progress.ts'
import type { TailNote } from '../verify/TailNote.ts'
import type { Problem } from '../verify/VerifyReport.ts'

/** Options of planning and repairing. */
export interface RepairOptions {
  readonly decodeCheckpoint: DecodeCheckpoint
  /** Tail notes of the nodes, so that a lost end is noticed. */
  readonly tails?: readonly TailNote[]
  /** Called with the progress of each read. */
  readonly onProgress?: OnProgress
}

/** Who reopens a partition, and why. */
export interface RepairOrder extends RepairOptions {
  readonly by: Actor
  readonly note: string
  /** Also reopen where the log itself shows no damage, but a node noted that its end is gone. */
  readonly acknowledgeLostEnd?: boolean
}

/**
 * How a partition can be reopened:
 * - `none`: nothing is wrong;
 * - `void`: the state is rebuilt from the records before `from`; everything up to the end is given up; -
 *   `bridge`: a checkpoint follows the damage, so no state is lost; only the record of that range, and bodies
 *   in its unreadable records;
 * - `lostEnd`: a checkpoint, or a node, knows of records that are gone from the end, or bodies were trimmed away by them;
 * - `checkpoint`: the log is whole, but a checkpoint cannot be read; it is deleted;
 * - `missing`: the store does not have the partition; it is made again, then checked;
 * - `impossible`: nothing is left to rebuild the state from.
 */
export type RepairKind = 'none' | 'void' | 'bridge' | 'lostEnd' | 'checkpoint' | 'missing' | 'impossible'

/** What is damaged, and what reopening costs. */
export interface RepairPlan {
  readonly partition: number
  readonly kind: RepairKind
  readonly firstSeq: number
  readonly lastSeq: number
  /** The first thing that is wrong. */
  readonly problem?: Problem
  /** The range that is given up, both included; empty (`upTo` below `from`) for a lost end. */
  readonly from: number
  readonly upTo: number
  /** Sequence at which the partition continues. */
  readonly reopensAt: number
  readonly lost: {
    /** Records that cannot be read; what was in them is not known. */
    readonly unreadable: number
    /** Records and events that can be read but are given up with the range. */
    readonly records: number
    readonly events: number
    /** Messages that were sent or forwarded in it, and changes of messages. Given up with `void` only. */
    readonly sent: number
    readonly settled: number
    /**
     * Live messages whose body was in an unreadable record, or in one that the lost end had trimmed; they are
     * discarded.
     */
    readonly bodies: number
  }
  /** Checkpoints that do not belong to what is kept; they are deleted. */
  readonly checkpointsDropped: readonly number[]
}
