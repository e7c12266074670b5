import type { Ranges } from '../Ranges.ts'
import type { QueueAddress } from './QueueAddress.ts'

/** Messages on their way to other queues. */
export type ForwardEvent =
  /** Dead letters and redriven messages that another queue forwarded; `from` makes the forward idempotent. */
  | {
      type: 'ForwardReceived'
      queue: number
      first: number
      count: number
      from: QueueAddress
      /** Number of the first forward in the window from that source queue. */
      forward: number
      bytes: number
      /** When each was first sent. */
      enqueuedAt: number[]
      tag?: string
      group?: string
      /** Generation that they are for, where they are not for all; -1: one that is gone. */
      only?: number
      filteredBy?: number[]
    }
  /**
   * The target stored the forwards below `upTo`. `targetGone`: it was deleted and they were dropped, as older engines
   * did; a newer one keeps them until they can be readdressed.
   */
  | {
      type: 'Forwarded'
      source: number
      target: QueueAddress
      upTo: number
      outcome: 'stored' | 'targetGone'
    }
  /** `from` was deleted and never stored these forwards: they go to `target`, behind what is on its way there. */
  | {
      type: 'Readdressed'
      source: number
      from: QueueAddress
      /** Numbers that they had on their way to `from`, in order. */
      forwards: Ranges
      target: QueueAddress
      /** Name of the target. */
      name: string
      /** Number of the first of them on its way to `target`; the others follow. */
      forward: number
    }
  /** What older engines recorded for `LanesClosed`, without telling the targets. */
  | { type: 'LanesEnded'; source: number }
  /**
   * All letters of these lanes have arrived or went elsewhere: how far they were is forgotten here, and where they led. The
   * first forward of a new lane rises by one at least. `targets` are pairs of a partition and a queue.
   */
  | { type: 'LanesClosed'; source: number; targets: number[] }
  /** The partition was told of the lanes to it that were closed when the first forward rose to `upTo`, or before. */
  | { type: 'ClosingTold'; partition: number; upTo: number }
  /**
   * Another partition closed these lanes: pairs of a source queue there and a target queue here. Forwards from there that
   * left before its first forward was `first` are no first ones.
   */
  | { type: 'LanesForgotten'; partition: number; lanes: number[]; first: number }
