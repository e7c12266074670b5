import type { Ranges } from '../Ranges.ts'
import type { QueueAddress } from './QueueAddress.ts'
import type { Actor } from './Actor.ts'

/** Redrives. */
export type RedriveEvent =
  /** A task begins to move what is available among the messages up to number `upTo`, included. */
  | {
      type: 'RedriveStarted'
      queue: number
      sub: number
      /** Number of the task within its queue. */
      task: number
      /** Random id of the request, by which a repeated one finds its task. */
      request: string
      to: 'origin' | (QueueAddress & { name: string })
      filter: Record<string, unknown>
      /** Only these, in their order; absent: all. */
      selection?: Ranges
      /** Messages a second, and messages in all; 0: no limit. */
      rateMax: number
      messagesMax: number
      upTo: number
      by: Actor
    }
  /** Discarded here with the reason `redriven`, and on their way to the target. */
  | {
      type: 'Redriven'
      queue: number
      sub: number
      task: number
      numbers: Ranges
      target: QueueAddress
      /** Name of the target, for people. */
      name: string
      /** Name of the only subscription that they are for there; absent: all. */
      only?: string
      /** Number of the first forward to that target; the others follow in the order of `numbers`. */
      forward: number
    }
  | {
      type: 'RedriveEnded'
      queue: number
      sub: number
      task: number
      outcome: 'completed' | 'cancelled' | 'failed'
      /** Messages that stay although the filter let them pass, by the reason. */
      skipped: Record<string, number>
      /** Messages that stay because of the filter. */
      filtered: number
      /** Messages that it did not get to. */
      left: number
      note: string
      /** Who cancelled it. */
      by?: Actor
    }
