import type { ConsumeMode } from '../event/message.ts'
import type { Ranges } from '../Ranges.ts'
import type { SpreadView } from './SpreadView.ts'
import { number, optional, queue, shape, text, type Shapes } from './shape.ts'

/** A delivery as it leaves the partition; arrays run parallel in the order of `numbers`. */
export interface Delivery {
  readonly queue: number
  readonly sub: number
  readonly delivery: number
  /** Partition time of the decision and end of the lease, in ms. */
  readonly now: number
  readonly leaseUntil: number
  /** Attempt id of the receive; absent: it had none. */
  readonly attempt?: string
  /** A receive with this attempt id got it before. */
  readonly isRepeat?: boolean
  readonly numbers: Ranges
  readonly attempts: readonly number[]
  readonly enqueuedAt: readonly number[]
  /** When they were first delivered by the queue, in ms; 0: now, or that is not known. Absent: all now. */
  readonly firstAt?: readonly number[]
  readonly messages: readonly Uint8Array[]
}

/** Receives. */
export type ReceiveCommand =
  | {
      type: 'Receive'
      queue: string
      /** Absent: `main`. */
      subscription?: string
      /** Only messages of this group, which the queue must have; absent: of all. */
      group?: string
      /** Client-unique id of this poll, for `CancelReceive`. */
      poll: string
      /**
       * Id of what the receive is for: one that is repeated with it gets the same batch, as far as that is still held,
       * under new leases.
       */
      attempt?: string
      /** Only such a batch, and no other. */
      heldOnly?: boolean
      max: number
      bytesMax?: number
      /** Most messages of a batch, where the receiver cuts a delivery into several; absent: `max`. */
      batchMessages?: number
      /** Long poll in ms; absent: the queue's default. */
      waitMs?: number
      /** Wait for a fuller batch, in ms from the first available message, also beyond `waitMs`; absent or 0: none. */
      batchWaitMs?: number
      leaseMs?: number
      mode: ConsumeMode
      consumer: string
      /** Version of the queue's parts that the receiver knows; the home answers any other with its own at once. */
      spread?: number
    }
  | { type: 'CancelReceive'; poll: string }

/** Answers by command type. */
export interface ReceiveAnswers {
  /** Without a delivery: nothing within the wait, or the receiver must look elsewhere too. */
  Receive: { readonly delivery?: Delivery; readonly spread?: SpreadView }
  CancelReceive: { readonly cancelled: boolean }
}

/** What each of these commands must hold; ranges and meaning are the partition's to check. */
export const receiveShapes: Shapes<ReceiveCommand> = {
  Receive: shape({
    ...queue,
    subscription: optional(text),
    group: optional(text),
    poll: text,
    attempt: optional(text),
    heldOnly: optional((value) => typeof value === 'boolean'),
    max: number,
    bytesMax: optional(number),
    batchMessages: optional(number),
    waitMs: optional(number),
    batchWaitMs: optional(number),
    leaseMs: optional(number),
    mode: (value) => value === 'push' || value === 'simple',
    consumer: text,
    spread: optional(number),
  }),
  CancelReceive: shape({ poll: text }),
}
