import type { Actor, LogEventType, StateName } from '@kiroku/protocol'
import type { Hidden } from '../hidden/Hiding.ts'
import type { LostPartition } from '../replay/missingText.ts'

/** One thing that happened to a message. Times are ms of partition time. */
export interface TraceStep {
  readonly partition: number
  readonly seq: number
  readonly at: number
  /** Name of the queue it was in, or `#id` when the record no longer says. */
  readonly queue: string
  /** Name of the subscription that it concerns; absent: all of them, or `main`. */
  readonly subscription?: string
  /** Its number in that queue. */
  readonly number: number
  readonly event: LogEventType
  /** The state after it. */
  readonly state: StateName
  /** Attempts so far. */
  readonly attempt: number
  readonly producer?: string
  readonly send?: number
  readonly delivery?: number
  readonly consumer?: string
  readonly leaseUntil?: number
  /** When a delay or a pause ends. */
  readonly dueAt?: number
  readonly cause?: string
  readonly error?: string
  readonly reason?: string
  /** Where a dead letter or a redriven message goes, and the number of its forward. */
  readonly target?: { readonly partition: number; readonly queue: string; readonly forward: number }
  /** Where a forwarded message came from. */
  readonly from?: { readonly partition: number; readonly queue: string; readonly forward: number }
  /** Where its body is from here on: a queue's id, a record, and the place among its bodies there. */
  readonly body?: { readonly queue: number; readonly seq: number; readonly index: number }
  /** Who did an administrative act that touched it. */
  readonly by?: Actor
  /** A repair gave up this part of the record: for the engine it never happened. */
  readonly voided?: true
}

/** One delivery of a message, and what came of it. Times are ms of partition time, durations ms. */
export interface TraceAttempt {
  readonly queue: string
  /** Absent: `main`. */
  readonly subscription?: string
  readonly attempt: number
  readonly delivery: number
  readonly consumer: string
  /** How long it had been available. */
  readonly waitMs: number
  readonly at: number
  /** When its lease ends, extensions included. */
  readonly leaseUntil: number
  /** Absent while it is in flight. */
  readonly ms?: number
  /** What ended it; absent while it is in flight. */
  readonly outcome?: LogEventType
  readonly error?: string
}

/** A record that is missing or damaged. */
export interface UnreadableRecord {
  readonly partition: number
  readonly seq: number
}

/** Everything on record about one message, along its whole lineage. */
export interface Trace {
  /** The beginning of its lineage, as far as recorded, whichever of its ids was requested. */
  readonly messageId: string
  /** Names of the queues it went through. */
  readonly queues: readonly string[]
  /** Its state at the end of the record; under `main` where several subscriptions differ. */
  readonly state: StateName
  readonly steps: readonly TraceStep[]
  /** Its deliveries in their order. */
  readonly attempts: readonly TraceAttempt[]
  /** How often it was redriven and became a dead letter again. */
  readonly cameBack: number
  /** Whether the record still holds its beginning. */
  readonly complete: boolean
  /** Unreadable records; what they held of the message is missing here. */
  readonly unreadable: readonly UnreadableRecord[]
  /** Missing partitions on its way: what happened in them is not included. Absent: none. */
  readonly missing?: readonly LostPartition[]
  /** What queues on its way hide of it; absent: nothing. */
  readonly hidden?: Hidden
}
