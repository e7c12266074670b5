import type { DecodeCheckpoint } from '../replay/Checkpoint.ts'
import type { OnProgress } from '../replay/Progress.ts'
import type { Proof } from './Proof.ts'
import type { TailNote } from './TailNote.ts'
import type { Witness } from './Witness.ts'

/** What to verify, and how thoroughly. */
export interface VerifyOptions {
  readonly decodeCheckpoint: DecodeCheckpoint
  /** Called every few thousand events, to let other work run. */
  readonly pause?: () => Promise<void>
  /** Default: all partitions. */
  readonly partitions?: readonly number[]
  /** Runs every transition through XState itself, not only each kind once. */
  readonly deep?: boolean
  /** Tail notes of the nodes, so that a lost end is noticed. */
  readonly tails?: readonly TailNote[]
  readonly onProgress?: OnProgress
  /** An earlier proof to check the record against as well. */
  readonly against?: Proof
  /** What else saw records of the log. Those that follow a log in use are to be read before this begins. */
  readonly witnesses?: readonly Witness[]
}
