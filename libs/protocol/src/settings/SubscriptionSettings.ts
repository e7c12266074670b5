import type { DeliveryConfig } from './QueueConfig.ts'
import { queueSettings, type QueueSetting } from './queueSettings.ts'

/** What a subscription sets for itself; what it leaves out is its queue's. */
export interface SubscriptionSettings extends Partial<DeliveryConfig> {
  /** Only messages with one of these tags are delivered, the others are final at once; null: all. */
  readonly tags?: readonly string[] | null
}

/** Whether a subscription may have this setting of a queue for itself. */
export const isOwnSetting = (name: string): boolean =>
  Object.hasOwn(queueSettings, name) &&
  (queueSettings as Record<string, QueueSetting>)[name]!.subscription === true
