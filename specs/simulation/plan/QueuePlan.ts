import type { QueueConfig, SubscriptionSettings } from '@kiroku/protocol'

/** A queue of the world. */
export interface QueuePlan {
  readonly name: string
  /** Whether messages are sent to it, or only dead letters come. */
  readonly isForWork: boolean
  /** Name of its dead-letter queue. */
  readonly deadLetter: string | undefined
  readonly config: Partial<QueueConfig>
  /** Whether it may be spread over partitions; then only the real client knows where all of it is. */
  readonly isSpreadable?: true
  /** Settings of a second subscription; absent: there is none. */
  readonly second?: SubscriptionSettings
}
