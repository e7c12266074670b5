import type { Ranges } from '../Ranges.ts'
import type { Actor } from './Actor.ts'
import type { DiscardReason } from './DiscardReason.ts'
import type { QueueAddress } from './QueueAddress.ts'

/** How a delivery was asked for: by a consumer whose failures are retried, or by a simple receive. */
export type ConsumeMode = 'push' | 'simple'

/** Messages enter and move. */
export type MessageEvent =
  | {
      type: 'Enqueued'
      queue: number
      first: number
      count: number
      /** 0: at once. */
      dueAt: number
      /** Bytes of all bodies of this event together. */
      bytes: number
      producer: string
      /** The producer's number of this send. */
      send: number
      /** Tag and group of all of them; absent: none. */
      tag?: string
      group?: string
      /** Generations whose filter they do not pass: for these they are Discarded. */
      filteredBy?: number[]
      /** Keys by which repeats are known, 16 bytes each, one a message; absent: the queue does not look for them. */
      keys?: Uint8Array
    }
  /** A send in which some messages, or all, were sent before within the queue's window; of those nothing is stored. */
  | {
      type: 'Deduplicated'
      queue: number
      producer: string
      send: number
      /** The numbers that all its messages got, in their order. */
      answer: Ranges
      /** Of each that was sent before, the message that it repeats, and its key. */
      originals: number[]
      keys: Uint8Array
    }
  | {
      type: 'Delivered'
      queue: number
      sub: number
      delivery: number
      leaseUntil: number
      leaseCap: number
      attemptsMax: number
      /** push: an expired lease pauses by the retry policy; simple: the message is Available again at once. */
      mode: ConsumeMode
      numbers: Ranges
      consumer: string
      /** By which the receive that is repeated gets the same batch; absent: it had none. */
      attempt?: string
    }
  | { type: 'DelayElapsed'; queue: number; numbers: Ranges; filteredBy?: number[] }
  /** A delayed message is cancelled: for every subscription that it was for it becomes Discarded. */
  | { type: 'Recalled'; queue: number; number: number; producer: string; send: number; by: Actor }
  /** A delayed message is due at another time, which may be now. */
  | {
      type: 'Rescheduled'
      queue: number
      number: number
      dueAt: number
      producer: string
      /** The producer's number of this request, counted with its sends. */
      send: number
      by: Actor
    }
  /** `attempt`: the receive that got the delivery was repeated, and got it again. */
  | {
      type: 'LeaseExtended'
      queue: number
      sub: number
      numbers: Ranges
      leaseUntil: number
      attempt?: string
    }
  | { type: 'Released'; queue: number; sub: number; numbers: Ranges; cause: 'client' | 'undelivered' }
  /** Given back with a delay, and the attempt too; `dueAt` 0: Available at once. */
  | { type: 'Deferred'; queue: number; sub: number; numbers: Ranges; dueAt: number; error: string }
  | { type: 'Acked'; queue: number; sub: number; numbers: Ranges }
  /** `dueAt` 0: Available at once. */
  | { type: 'RetryScheduled'; queue: number; sub: number; numbers: Ranges; dueAt: number; error: string }
  | { type: 'LeaseExpired'; queue: number; sub: number; numbers: Ranges; dueAt: number }
  | { type: 'RetryDue'; queue: number; sub: number; numbers: Ranges }
  | {
      type: 'DeadLettered'
      queue: number
      sub: number
      numbers: Ranges
      cause: 'retry' | 'leaseExpired' | 'nextReceive' | 'onPurpose'
      error: string
      target: QueueAddress
      /** Number of the first forward to that target; the others follow in the order of `numbers`. */
      forward: number
    }
  | {
      type: 'Discarded'
      queue: number
      sub: number
      numbers: Ranges
      reason: DiscardReason
      cause: 'retry' | 'leaseExpired' | 'nextReceive' | 'retention' | 'operator' | 'rollback'
      error: string
      /** Who discarded them; absent: not an operator, or another event says it. */
      by?: Actor
    }

/** Bytes of each of the `keys` that a queue knows repeated messages by. */
export const dedupKeyBytes = 16
