import type { QueueState, Subscription } from './QueueState.ts'

/**
 * Watches a state while facts are applied to it, to know what may be done next. Facts change the record's state alone; what
 * an ownership makes of them is its own, and a replay has no watcher.
 */
export interface Watcher {
  /** Receives of the subscription may be served now. */
  look(sub: Subscription): void
  /** The first message became available, or the first after there was none. */
  becameAvailable(sub: Subscription): void
  /** Whether receives wait for messages of single groups. */
  awaitsGroups(sub: Subscription): boolean
  /** A message of the group can be delivered. */
  groupCanDeliver(sub: Subscription, group: string): void
  /** Of a limited subscription: this many messages are in flight with a new delivery. */
  entered(sub: Subscription, delivery: number, messages: number): void
  /** A message of that delivery is no longer in flight. */
  left(sub: Subscription, delivery: number): void
  /** Messages of the queue that came at `at`, in ms, are there, or with a negative number no more; once per subscription. */
  counted(queue: QueueState, at: number, messages: number): void
  /** Retention ends at this time, in ms of partition time. */
  expect(at: number): void
  /** Ends of retention or of idle queues have changed: all are looked at from this time on. */
  restartSweep(at?: number): void
  opened(sub: Subscription): void
  /** Its settings, or its share in limits, changed. */
  configured(sub: Subscription): void
  closed(sub: Subscription): void
  /** The queue counts as received from now. */
  queueSeen(queue: QueueState): void
  queueClosed(queue: QueueState): void
  clockResumed(): void
}
