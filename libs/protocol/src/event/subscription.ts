import type { Ranges } from '../Ranges.ts'
import type { Actor } from './Actor.ts'

/** Administration of subscriptions, and the past that they begin with. */
export type SubscriptionEvent =
  /**
   * Messages from number `from` on are its own, as far as they become available after this. With `readFrom`, a
   * record's sequence, also those that became available from there on: nothing is delivered before they are restored.
   */
  | {
      type: 'SubscriptionCreated'
      queue: number
      sub: number
      name: string
      settings: Record<string, unknown>
      from: number
      readFrom?: number
      by: Actor
    }
  | {
      type: 'SubscriptionConfigured'
      queue: number
      sub: number
      settings: Record<string, unknown>
      by: Actor
    }
  /** `sub` is the new generation; the one before has ended with all its messages, and its receipts are invalid. */
  | {
      type: 'SubscriptionReset'
      queue: number
      name: string
      sub: number
      from: number
      readFrom?: number
      by: Actor
    }
  /** Messages of the past become available again, in their old order and ahead of the newer ones. */
  | {
      type: 'RunsRestored'
      queue: number
      sub: number
      /** Runs: first number, count, record and place of the first body, time of arrival, bytes; and so on. */
      runs: number[]
      /** Group of each run; absent: none. */
      groups?: string[]
      /** Messages that do not pass the filter: for this generation they are Discarded. */
      filtered?: Ranges
      /** How far the past is restored: a record, and how many of its events. */
      done: [seq: number, events: number]
      /** Frames whose bodies have records of their own, and the first such record of each. */
      largeBodies?: number[]
    }
  /** The past is restored, and deliveries begin. */
  | { type: 'SubscriptionFilled'; queue: number; sub: number }
  | { type: 'SubscriptionDeleted'; queue: number; sub: number; by: Actor }

/** Numbers that each run takes in `runs` of a `RunsRestored`. */
export const runNumbers = 6
