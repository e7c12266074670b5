import type { SubscriptionSettings } from '../settings/SubscriptionSettings.ts'
import type { Actor } from '../event/Actor.ts'
import type { StartPosition } from './StartPosition.ts'
import { flag, number, optional, record, shape, subscribing, text, type Check, type Shapes } from './shape.ts'

/** Administration of subscriptions. */
export type SubscriptionCommand =
  | {
      type: 'CreateSubscription'
      queue: string
      subscription: string
      settings: SubscriptionSettings
      /** Absent: the latest. */
      start?: StartPosition
      by: Actor
      dryRun?: boolean
    }
  | {
      type: 'ConfigureSubscription'
      queue: string
      subscription: string
      settings: SubscriptionSettings
      by: Actor
      dryRun?: boolean
    }
  | {
      type: 'ResetSubscription'
      queue: string
      subscription: string
      /** Absent: the latest. */
      start?: StartPosition
      /** The generation that ends; when it is not there any more, nothing happens. Absent: whichever is there. */
      sub?: number
      by: Actor
    }
  | { type: 'DeleteSubscription'; queue: string; subscription: string; by: Actor }

/** Answers by command type. */
export interface SubscriptionAnswers {
  CreateSubscription: { readonly queue: number; readonly sub: number; readonly created: boolean }
  ConfigureSubscription: { readonly queue: number; readonly sub: number }
  ResetSubscription: { readonly queue: number; readonly sub: number }
  DeleteSubscription: { readonly queue: number; readonly sub: number }
}

const numbered = shape({ number })
const timed = shape({ time: number })
const start: Check = (value) => value === undefined || text(value) || numbered(value) || timed(value)

/** What each of these commands must hold; ranges and meaning are the partition's to check. */
export const subscriptionShapes: Shapes<SubscriptionCommand> = {
  CreateSubscription: shape({ ...subscribing, settings: record, start, dryRun: optional(flag) }),
  ConfigureSubscription: shape({ ...subscribing, settings: record, dryRun: optional(flag) }),
  ResetSubscription: shape({ ...subscribing, start, sub: optional(number) }),
  DeleteSubscription: shape(subscribing),
}
