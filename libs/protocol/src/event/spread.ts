import type { Actor } from './Actor.ts'
import type { QueueAddress } from './QueueAddress.ts'

/** What a part of a spread queue has done until it ended. */
export interface PartTotals {
  readonly sent: number
  /** By name of the subscription: messages that came, and what became of them. */
  readonly subs: Readonly<
    Record<
      string,
      {
        readonly entered: number
        readonly committed: number
        readonly deadLettered: number
        readonly discarded: number
        readonly redelivered: number
      }
    >
  >
}

/** Queues spread over partitions: what a home decides, and what a part records of its home. */
export type SpreadEvent =
  /** Where the queue's parts are meant to be beside its home. `since` counts the changes of what clients are told. */
  | {
      type: 'QueueSpread'
      queue: number
      parts: {
        partition: number
        /** Its queue there; 0: none is known yet. */
        queue: number
        state: 'opening' | 'open' | 'sealed'
        since: number
      }[]
      by: Actor
    }
  /** The part is there, as queue `part` of its partition, and takes sends. */
  | { type: 'PartOpened'; queue: number; partition: number; part: number }
  /** The part was sealed and is empty; it is to be dropped. */
  | { type: 'PartClosed'; queue: number; partition: number; totals: PartTotals }
  /** A part that was closed, or whose home was deleted, is gone. */
  | { type: 'PartGone'; queue: number; partition: number }
  | {
      type: 'PartPlaced'
      queue: number
      home: QueueAddress
      /** How far it follows its home. */
      revision: number
      since: number
      isOpen: boolean
      index: number
      of: number
      purges: number
      subs: Record<string, number>
    }
  /** What a home says of an earlier revision comes too late here. */
  | { type: 'PartLeft'; home: QueueAddress; revision: number }
