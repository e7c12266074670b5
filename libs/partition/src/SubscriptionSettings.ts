import type { QueueConfig } from './QueueConfig.ts'
import { queueSettings, type QueueSetting } from './queueSettings.ts'

type Rows = typeof queueSettings
type Own = { [Name in keyof Rows]: Rows[Name] extends { subscription: true } ? Name : never }[keyof Rows]

/** What a subscription sets for itself; what it leaves out is its queue's. */
export interface SubscriptionSettings extends Partial<Pick<QueueConfig, Own>> {
  /** Only messages with one of these tags are delivered, the others are final at once; null: all. */
  readonly tags?: readonly string[] | null
}

/** Whether a subscription may have this setting of a queue for itself. */
export const isOwnSetting = (name: string): boolean =>
  Object.hasOwn(queueSettings, name) &&
  (queueSettings as Record<string, QueueSetting>)[name]!.subscription === true
