import type { ConsumeMode } from '@kiroku/protocol'
import type { Subscription } from '../state/QueueState.ts'

/** A receive that waits. It belongs to the ownership, not to the record. */
export interface Poll {
  /** Where the answer goes. */
  readonly token: number
  readonly id: string
  /** Attempt id; empty: none. */
  readonly attempt: string
  /** The only group that it wants messages of; absent: all. */
  readonly group: string | undefined
  /** A reset gives its receives to the next generation. */
  subscription: Subscription
  readonly max: number
  readonly bytesMax: number
  /** Most messages of a handler's batch. */
  readonly batchMessages: number
  readonly batchWaitMs: number
  /** Partition time of the receive. */
  readonly askedAt: number
  readonly leaseMs: number
  readonly mode: ConsumeMode
  readonly consumer: string
  /** Version of the queue's parts that the receiver knows. */
  readonly knows: number
  /** Partition time at which it is answered with what is there, or with nothing. */
  readonly waitUntil: number
  /** When the partition must look at it next: the end of its wait or of its batch. */
  wakeAt: number
  done: boolean
}
