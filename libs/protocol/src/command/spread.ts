import type { SubscriptionSettings } from '../settings/SubscriptionSettings.ts'
import type { Actor } from '../event/Actor.ts'
import type { PartTotals } from '../event/spread.ts'
import type { QueueAddress } from '../event/QueueAddress.ts'
import type { QueueConfig } from '../settings/QueueConfig.ts'
import {
  act,
  address,
  flag,
  listOf,
  number,
  numbers,
  queue,
  record,
  shape,
  text,
  type Shapes,
} from './shape.ts'

/** A subscription as the home of a spread queue has it. */
export interface PartSubscription {
  readonly name: string
  /** Generation at the home. */
  readonly sub: number
  readonly settings: SubscriptionSettings
  readonly deliveryPaused: boolean
}

/** Spreading queues over partitions. */
export type SpreadCommand =
  /** Lets the queue have a part in each of these partitions, and nowhere else beside its home. */
  | { type: 'SpreadQueue'; queue: string; partitions: readonly number[]; by: Actor }
  /** From a home to a part of it: what it is to be, as of a revision; it is created when it is missing. */
  | {
      type: 'PlacePart'
      queue: string
      home: QueueAddress
      revision: number
      since: number
      isOpen: boolean
      index: number
      of: number
      purges: number
      config: Partial<QueueConfig>
      deliveryPaused: boolean
      subs: readonly PartSubscription[]
    }
  /** From a home that knows the part no more. */
  | { type: 'DropPart'; queue: string; home: QueueAddress; revision: number }

/** Answers by command type. */
export interface SpreadAnswers {
  SpreadQueue: { readonly queue: number }
  /** How far the part follows, what this purged, and what it did of all, once it is sealed and empty. */
  PlacePart: {
    readonly queue: number
    readonly revision: number
    readonly purged: number
    readonly totals?: PartTotals
  }
  DropPart: { readonly revision: number }
}

const part = { ...queue, home: address, revision: number }

/** What each of these commands must hold; ranges and meaning are the partition's to check. */
export const spreadShapes: Shapes<SpreadCommand> = {
  SpreadQueue: shape({ ...act, partitions: numbers }),
  PlacePart: shape({
    ...part,
    since: number,
    isOpen: flag,
    index: number,
    of: number,
    purges: number,
    config: record,
    deliveryPaused: flag,
    subs: listOf(shape({ name: text, sub: number, settings: record, deliveryPaused: flag })),
  }),
  DropPart: shape(part),
}
