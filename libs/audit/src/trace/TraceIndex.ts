import type { QueueAddress, QueueConfig } from '@kiroku/protocol'
import type { Origin, LineageStop } from './MessageHistory.ts'

/** Names of a queue and its subscriptions. */
export interface QueueNames {
  readonly queue: number
  readonly name: string
  readonly config: Partial<Pick<QueueConfig, 'deadLetter'>>
  /** Names of its generations, by their ids. */
  readonly subscriptions: ReadonlyMap<number, string>
}

/** The frames that concern a message, as far as an index has read its partition. */
interface TouchingFrames {
  /** In order; may include some that concern only its neighbours. */
  readonly seqs: readonly number[]
  /** Everything up to this, and after `reachedSeq`, must be read as well. */
  readonly beganSeq: number
  readonly reachedSeq: number
  readonly names: readonly QueueNames[]
}

/** Knows which frames concern a message. It may know less than the record, but nothing wrong. */
export interface TraceIndex {
  /** Undefined for an unknown place. */
  framesOf(place: LineageStop): TouchingFrames | undefined
  /** Number of the message that became a forward to a queue; undefined when unknown. */
  sourceOf(target: QueueAddress, origin: Origin): number | undefined
}
