import type {
  Actor,
  DeadLetterTarget,
  QueueConfig,
  SubscriptionSettings as StoredSubscriptionSettings,
} from '@kiroku/protocol'

/** Settings of a queue as people give them: the dead-letter queue by name. Times are in ms. */
export type QueueSettings = Partial<Omit<QueueConfig, 'deadLetter'>> & {
  /** Name of the dead-letter queue, which is created if it is missing; null: none. */
  readonly deadLetter?: string | DeadLetterTarget | null
}

/** Settings of a subscription as people give them; what is absent is its queue's. Times are in ms. */
export type SubscriptionSettings = Omit<StoredSubscriptionSettings, 'deadLetter'> &
  Pick<QueueSettings, 'deadLetter'>

/** What a file says of a queue: what it does not say stays as it is. */
export type QueueSection = QueueSettings & {
  /** Subscriptions by name; those that are not named stay as they are. */
  readonly subscriptions?: Readonly<Record<string, SubscriptionSettings>>
}

/** Whose sections are applied, and how. */
export interface ApplyOptions {
  /** Name of the file or the Worker, the same on every machine; up to 100 characters. */
  readonly source: string
  /** Settings of a queue that is created by this, beneath what its section says. */
  readonly newQueue?: QueueSettings
  /** Tells what would change, and changes nothing. */
  readonly dryRun?: boolean
  readonly by?: Actor
}
