import type { DecodeCheckpoint } from '../replay/Checkpoint.ts'
import type { OnProgress } from '../replay/Progress.ts'
import type { Proof } from './Proof.ts'
import type { TailNote } from './TailNote.ts'

/** What to verify and how closely. */
export interface VerifyOptions {
  readonly decodeCheckpoint: DecodeCheckpoint
  /** Called every few thousand events, so that others get their turn. */
  readonly pause?: () => Promise<void>
  /** Default: all partitions. */
  readonly partitions?: readonly number[]
  /** Runs every transition through XState itself, not only each kind once. */
  readonly deep?: boolean
  /** What nodes noted of the ends that they saw, so that a log that lost its end is noticed. */
  readonly tails?: readonly TailNote[]
  readonly onProgress?: OnProgress
  /** A proof of earlier, which the record is held against as well. */
  readonly against?: Proof
}
