import type { Actor } from '@kiroku/protocol'
import type { DecodeCheckpoint } from '../replay/Checkpoint.ts'
import type { OnProgress } from '../replay/Progress.ts'
import type { TailNote } from '../verify/TailNote.ts'
import type { Problem } from '../verify/VerifyReport.ts'

/** What both looking and repairing need. */
export interface RepairOptions {
  readonly decodeCheckpoint: DecodeCheckpoint
  /** What nodes noted of the ends that they saw, so that a lost end shows. */
  readonly tails?: readonly TailNote[]
  /** Told of how far each of the readings is that a look takes. */
  readonly onProgress?: OnProgress
}

/** Who reopens a partition, and why. */
export interface RepairOrder extends RepairOptions {
  readonly by: Actor
  readonly note: string
  /** Reopens also where the log by itself shows no damage: a node noted that its end is gone. */
  readonly acknowledgeLostEnd?: boolean
}

/**
 * How a partition can be reopened:
 * - `none`: nothing is wrong;
 * - `void`: the state is rebuilt from the records before `from`; everything up to the end is given up;
 * - `bridge`: a checkpoint stands behind the damage, so that no state is lost; only the record of
 *   that stretch, and bodies in its unreadable records;
 * - `lostEnd`: a checkpoint, or a node, knows of records that are gone from the end, or bodies were trimmed away by them;
 * - `checkpoint`: the log is whole, but a checkpoint cannot be read; it is deleted;
 * - `missing`: the store does not have the partition; it is made again, and then looked at;
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
  /** The stretch that is given up, both included; empty (`upTo` below `from`) for a lost end. */
  readonly from: number
  readonly upTo: number
  /** Sequence at which the partition goes on. */
  readonly reopensAt: number
  readonly lost: {
    /** Records that cannot be read; what was in them is not known. */
    readonly unreadable: number
    /** Records and events that can be read but are given up with the stretch. */
    readonly records: number
    readonly events: number
    /** Messages that were sent or forwarded in it, and changes of messages. Given up with `void` only. */
    readonly sent: number
    readonly settled: number
    /** Live messages whose body was in an unreadable record, or in one trimmed away as the lost end said; they are discarded. */
    readonly bodies: number
  }
  /** Checkpoints that do not belong to what is kept; they are deleted. */
  readonly checkpointsDropped: readonly number[]
}
