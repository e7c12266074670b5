import type { Actor, StartPosition } from '@kiroku/protocol'
import type { SubscriptionSettings } from './QueueSettings.ts'

/**
 * Administration of subscriptions: consumer groups, each with its own deliveries, retries and dead letters over the
 * messages of one queue. Errors: `UnknownQueue`, `UnknownSubscription`, `InvalidConfig`, and what `Client` says.
 */
export interface Subscriptions {
  /**
   * Creates a subscription, which gets new messages, or begins at `start`; an existing one with the same
   * settings is left alone, wherever it began. Errors: also `SubscriptionExists`, `BeyondRecord`,
   * `InvalidQueueName` (the rule for queue names holds for subscriptions too).
   */
  create(
    queue: string,
    name: string,
    settings?: SubscriptionSettings & { readonly start?: StartPosition },
    by?: Actor,
  ): Promise<{ readonly created: boolean }>
  /** Changes the given settings and leaves the others. */
  update(queue: string, name: string, settings: SubscriptionSettings, by?: Actor): Promise<void>
  /**
   * Starts a new generation, with what is sent from now on or at `start`; receipts of earlier deliveries become invalid.
   * Errors: also `BeyondRecord`.
   */
  reset(queue: string, name: string, start?: StartPosition, by?: Actor): Promise<void>
  /** Deletes a subscription with its state; the others are not affected. */
  delete(queue: string, name: string, by?: Actor): Promise<void>
  /** Stops deliveries to this subscription alone. */
  pause(queue: string, name: string, by?: Actor): Promise<void>
  resume(queue: string, name: string, by?: Actor): Promise<void>
}
