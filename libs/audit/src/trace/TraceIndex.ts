import type { QueueAddress, QueueConfig } from '@kiroku/protocol'
import type { Origin, LineageStop } from './MessageHistory.ts'

/** What a queue and its subscriptions are called. */
export interface QueueNames {
  readonly queue: number
  readonly name: string
  readonly config: Partial<Pick<QueueConfig, 'deadLetter'>>
  /** Names of its generations, by their ids. */
  readonly subscriptions: ReadonlyMap<number, string>
}

/** The frames that tell of a message, as far as an index has read its partition. */
interface TouchingFrames {
  /** In order; among them some that only tell of its neighbours. */
  readonly seqs: readonly number[]
  /** Everything up to this, and behind `reachedSeq`, is to be looked at as well. */
  readonly beganSeq: number
  readonly reachedSeq: number
  readonly names: readonly QueueNames[]
}

/** Knows which frames have to do with a message. It may know less than the record, but nothing that is not so. */
export interface TraceIndex {
  /** Undefined where it does not know the place. */
  framesOf(place: LineageStop): TouchingFrames | undefined
  /** Number of the message that a forward to a queue was made of; undefined where it does not know. */
  sourceOf(target: QueueAddress, origin: Origin): number | undefined
}
