import type {
  Actor,
  DeadLetterTarget,
  QueueConfig,
  SubscriptionSettings as StoredSubscriptionSettings,
} from '@kiroku/protocol'

/** Settings of a queue as given by users: the dead-letter queue by name. Times are in ms. */
export type QueueSettings = Partial<Omit<QueueConfig, 'deadLetter'>> & {
  /** Name of the dead-letter queue, which is created if it is missing; null: none. */
  readonly deadLetter?: string | DeadLetterTarget | null
  /**
   * Texts that the queue keeps under names for people and doors: up to 100, of 64 Ki characters together. Those that are not
   * named stay; null removes one.
   */
  readonly notes?: Readonly<Record<string, string | null>>
}

/** Settings of a subscription as given by users; absent ones are its queue's. Times are in ms. */
export type SubscriptionSettings = Omit<StoredSubscriptionSettings, 'deadLetter'> &
  Pick<QueueSettings, 'deadLetter'>

/** A queue in a file: absent settings stay as they are. */
export type QueueSection = Omit<QueueSettings, 'notes'> & {
  /** Subscriptions by name; others stay as they are. */
  readonly subscriptions?: Readonly<Record<string, SubscriptionSettings>>
}

/** The source of the sections, and how to apply them. */
export interface ApplyOptions {
  /** Name of the file or the Worker, the same on every machine; up to 100 characters. */
  readonly source: string
  /** Defaults of a queue that this creates; its section wins over them. */
  readonly newQueue?: Omit<QueueSettings, 'notes'>
  /** Reports what would change, and changes nothing. */
  readonly dryRun?: boolean
  readonly by?: Actor
}
