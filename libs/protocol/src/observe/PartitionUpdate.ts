import type { StateName } from '../event/State.ts'
import type { QueueCounts } from './QueueDescription.ts'

/** A number of messages that went from one state to another. A message counts once for each subscription. */
export interface TransitionCount {
  readonly from: FromState
  readonly to: StateName
  readonly count: number
}

/** What happened to a queue in a stretch of the log: its counts behind it are those before it and `change`. */
export interface QueueChange {
  readonly queue: string
  readonly transitions: readonly TransitionCount[]
  /** What is not named did not change. */
  readonly change: Partial<QueueCounts>
  /** The queue, or its last part, is gone. */
  readonly ended?: true
}

/** How a queue stands. */
export interface QueueSnapshot {
  readonly queue: string
  readonly counts: QueueCounts
}

/** How the queues of a partition stand, or what happened to them since that was told. */
export type QueueUpdate =
  | { readonly kind: 'standing'; readonly queues: readonly ({ readonly id: number } & QueueSnapshot)[] }
  | { readonly kind: 'changes'; readonly queues: readonly ({ readonly id: number } & QueueChange)[] }

/** The same, with the record up to which it is true and the partition time there, in ms. */
export type PartitionUpdate = QueueUpdate & {
  readonly partition: number
  readonly seq: number
  readonly at: number
}

/** Where a message comes from that was in no state before. */
export const newMessage = 'New'

/** A state, or none yet. */
export type FromState = StateName | typeof newMessage
