import type { Hidden } from '../hidden/Hiding.ts'
import type { StateName } from '@kiroku/protocol'

/** A message under one subscription, as a search finds it. Times are ms of partition time. */
export interface FoundMessage {
  readonly messageId: string
  readonly partition: number
  readonly queue: string
  readonly subscription: string
  readonly number: number
  readonly state: StateName
  readonly attempt: number
  /** Why it was discarded or became a dead letter; empty: neither. */
  readonly reason: string
  /** Its last error, and the fingerprint that errors of one form share; empty: none. */
  readonly error: string
  readonly fingerprint: string
  readonly group: string
  readonly tag: string
  readonly consumer: string
  readonly producer: string
  readonly attributes: Readonly<Record<string, string>>
  /** How often it was redriven. */
  readonly redrives: number
  /** When it arrived in the queue, and the frame. */
  readonly sentAt: number
  readonly sentSeq: number
  /** When something last happened to it, and the frame. */
  readonly at: number
  readonly seq: number
  /** What queues that it passed hide of it; absent: nothing. */
  readonly hidden?: Hidden
}

/** How far the index has read a partition. */
export interface ReachedPartition {
  readonly partition: number
  /** Last sequence that the answer covers. */
  readonly seq: number
  /** Partition time of that frame, in ms. */
  readonly at: number
}

/** The answer to a search. */
export interface SearchAnswer {
  /** Latest first, by when something last happened to them. */
  readonly messages: readonly FoundMessage[]
  /** Where the next page starts; absent: this was the last. */
  readonly cursor?: string
  readonly reached: readonly ReachedPartition[]
  /** Queues whose bodies are not indexed, where the filter asks for a value in a body. */
  readonly bodiesNotIndexed?: readonly string[]
}
