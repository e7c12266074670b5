import type { Actor, ErrorId } from '@kiroku/message'
import type { DecodeCheckpoint } from './Checkpoint.ts'
import type { OnProgress } from './Progress.ts'

/** What to verify and how closely. */
export interface VerifyOptions {
  readonly decodeCheckpoint: DecodeCheckpoint
  /** Default: all partitions. */
  readonly partitions?: readonly number[]
  /** Runs every transition through XState itself, not only each kind once. */
  readonly deep?: boolean
  readonly onProgress?: OnProgress
}

/** The first thing that is wrong in a partition. */
export interface Problem {
  readonly seq: number
  readonly id: ErrorId
  readonly message: string
}

/** A repair that the record tells of. */
export interface RepairNote {
  /** Sequence of the frame that declares it. */
  readonly seq: number
  /** The records it gave up; `upTo` is below `from` where only a lost end was acknowledged. */
  readonly from: number
  readonly upTo: number
  readonly note: string
  readonly by: Actor
}

/** What was found in one partition. */
export interface PartitionReport {
  readonly partition: number
  readonly firstSeq: number
  readonly lastSeq: number
  /** Where the rules began to be checked: 0, or the oldest checkpoint of a trimmed log. */
  readonly fromSeq: number
  readonly frames: number
  readonly events: number
  /** Changes of single messages, each held against the law. */
  readonly transitions: number
  readonly ok: boolean
  readonly problem?: Problem
  /** Records that are not ours. */
  readonly foreign: number
  readonly repaired: readonly RepairNote[]
  /** Checkpoints whose state was found equal to the replay. */
  readonly checkpoints: number
}

/** Messages by where they are, summed over queues. */
export interface Totals {
  readonly frames: number
  readonly events: number
  readonly transitions: number
  /** Sent and forwarded messages, of queues that still exist. */
  readonly sent: number
  readonly live: number
  readonly committed: number
  readonly deadLettered: number
  readonly discarded: number
}

/** Result of a verification. */
export interface VerifyReport {
  readonly ok: boolean
  readonly partitions: readonly PartitionReport[]
  readonly totals: Totals
  /** Kinds of transitions (state, event, outcome of the guards) that were also run through XState. */
  readonly kinds: number
}
