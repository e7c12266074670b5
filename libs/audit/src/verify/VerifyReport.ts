import type { Actor, ErrorId } from '@kiroku/protocol'
import type { KeyReport } from './checkKeys.ts'

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

/** What became of a partition since a proof was made of it. */
export interface SinceProof {
  /** The last record that the proof covers. */
  readonly seq: number
  /**
   * `same`: every record from `checkedFrom` to `seq` is the one that was there. `trimmed`: none of them is there any
   * more. `changed`: some are others, or are missing.
   */
  readonly result: 'same' | 'trimmed' | 'changed'
  readonly checkedFrom: number
  /** How many records the proof covers that were trimmed since, or before: what they held can no longer be checked. */
  readonly unchecked: number
  readonly message: string
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
  /** Optional events of a newer version, which were passed over; absent: none. */
  readonly skipped?: number
  /** Checkpoints whose state was found equal to the replay. */
  readonly checkpoints: number
  /** Hash of the last record of ours, in hex digits: it stands for all before it. */
  readonly head: string
  /** Where a proof was given. */
  readonly sinceProof?: SinceProof
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
  /** The keys of erasable queues; absent: there are none, or not all partitions were read. */
  readonly keys?: KeyReport
  /** Kinds of transitions (state, event, outcome of the guards) that were also run through XState. */
  readonly kinds: number
}
