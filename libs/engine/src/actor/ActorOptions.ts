import type { KeyStore, PartitionLog } from '@kiroku/log'
import type { Time } from '../Time.ts'
import type { BodyMemory } from '../bodies/BodyMemory.ts'
import type { CheckpointPolicy } from '../checkpoint/Checkpoints.ts'
import type { CheckpointThreads } from '../checkpoint/CheckpointThreads.ts'
import type { LoadTurns } from '../checkpoint/LoadTurns.ts'
import type { StateAhead } from '../checkpoint/StateAhead.ts'
import type { TailNotes } from '../checkpoint/TailNotes.ts'
import type { RoomWatch } from '../store/RoomWatch.ts'
import type { StateMemory } from '../store/StateMemory.ts'
import type { Route } from '../tasks/Owner.ts'
import type { ActorState } from './lifecycle.ts'

/** What an actor needs to run a partition. */
export interface ActorOptions {
  readonly log: PartitionLog
  /** The keys of erasable queues. */
  readonly keys: KeyStore
  /** Incarnation of the log, for message ids. */
  readonly incarnation: string
  /** How long and how much of the record is kept. */
  readonly record: { readonly ms: number; readonly bytes: number }
  readonly checkpoints: CheckpointPolicy
  /** The threads on which all partitions of this node make checkpoints. */
  readonly threads: CheckpointThreads
  /** Name of this node, for the record. */
  readonly node: string
  readonly time: Time
  /** Chance, 0 to 1; used for jitter only. */
  readonly random: () => number
  /** Whether the lock on the partition was confirmed recently enough to answer from memory. */
  readonly lockFresh: () => boolean
  /** Whether the next owner has the state already. */
  readonly isLoadedAhead?: () => boolean
  /** Partitions of the log. */
  readonly partitions: number
  /** The way to other partitions. */
  readonly route: Route
  /** The store that the log shares. */
  readonly store: RoomWatch
  /** The bodies that all partitions of this node keep. */
  readonly bodies: BodyMemory
  /** How much may wait to be decided, in bytes. */
  readonly mailboxBytesMax: number
  /** What the messages of this node's partitions take in memory. */
  readonly stateMemory: Pick<StateMemory, 'isFull' | 'holdsUntouched' | 'reason' | 'describe'>
  /** The loads of all partitions of this node. */
  readonly loads: LoadTurns
  /** The state as far as it was loaded before this ownership. */
  readonly ahead?: StateAhead | undefined
  readonly tailNotes?: TailNotes | undefined
  readonly onState?: (state: ActorState, reason: string) => void
  /** Told of what failed and is tried again, in a sentence. */
  readonly onTrouble?: (what: string) => void
}
