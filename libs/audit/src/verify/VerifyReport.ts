import type { Actor, ErrorId } from '@kiroku/protocol'
import type { WitnessReport } from './Witness.ts'
import type { KeyReport } from './checkKeys.ts'

/** The first thing that is wrong in a partition. */
export interface Problem {
  readonly seq: number
  readonly id: ErrorId
  readonly message: string
}

/** A repair on record. */
export interface RepairNote {
  /** Sequence of the frame that declares it. */
  readonly seq: number
  /** The records it gave up; `upTo` is below `from` where only a lost end was acknowledged. */
  readonly from: number
  readonly upTo: number
  readonly note: string
  readonly by: Actor
}

/** How a partition compares with an earlier proof of it. */
export interface SinceProof {
  /** The last record that the proof covers. */
  readonly seq: number
  /**
   * `same`: every record from `checkedFrom` to `seq` is unchanged. `trimmed`: none of them is left.
   * `changed`: some differ, or are missing.
   */
  readonly result: 'same' | 'trimmed' | 'changed'
  readonly checkedFrom: number
  /** Records that the proof covers and that are trimmed by now: they can no longer be checked. */
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
  /** Foreign records. */
  readonly foreign: number
  readonly repaired: readonly RepairNote[]
  /** Optional events of a newer version, which were skipped; absent: none. */
  readonly skipped?: number
  /** Checkpoints whose state was found equal to the replay. */
  readonly checkpoints: number
  /** Hash of Kiroku's last record, in hex digits: it vouches for all before it. */
  readonly head: string
  /** Present if a proof was given. */
  readonly sinceProof?: SinceProof
  /** Present if there were witnesses of the partition. */
  readonly witnesses?: WitnessReport
}

/** Messages by state, summed over queues. */
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
