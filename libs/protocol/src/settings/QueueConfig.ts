import type { QueueAddress } from '../event/QueueAddress.ts'
import type { RetryPolicy } from './RetryPolicy.ts'

/** Where exhausted messages go: the name for people, the address for events. */
export interface DeadLetterTarget extends QueueAddress {
  readonly name: string
}

/** What can be set for a queue and, beside it, for each of its subscriptions. Times are in ms. */
export interface DeliveryConfig {
  /** Lease of a delivery, unless the receive asks for another. */
  readonly leaseMs: number
  /**
   * Shortest lease that a receive or an extension may ask for; a lease of 0 counts an attempt and leaves the message
   * available.
   */
  readonly leaseMinMs: number
  /** A lease cannot be extended beyond this, counted from the receive; 0 is no cap. */
  readonly leaseCapMs: number
  /** Retries after the first delivery; `unlimited` retries until the retention ends. */
  readonly retriesMax: number | 'unlimited'
  /** Delay before a retry. */
  readonly retry: RetryPolicy
  /** When an exhausted message leaves: as its last lease ends, or at the next receive. */
  readonly exhaustion: 'onExpiry' | 'onNextReceive'
  /** Whether an ack counts after the lease has expired. */
  readonly lateHandles: 'accept' | 'reject'
  /** Queue for exhausted messages, created if it is missing; without one they are discarded. */
  readonly deadLetter: DeadLetterTarget | null
  /** How long a receive waits if it does not say. */
  readonly receiveWaitMs: number
  /** Maximum number of messages in a consumer's batch. */
  readonly batchMessages: number
  /** How long a batch waits for more messages, from its first available one; 0 delivers at once. */
  readonly batchWaitMs: number
  /** Maximum size of a batch. */
  readonly batchBytes: number
  /** Maximum deliveries per second, with bursts of up to one second; 0 is no limit. */
  readonly rateMax: number
  /** Maximum number of messages in flight; 0 is no limit. */
  readonly inflightMax: number
  /** Maximum number of batches in flight; 0 is no limit. */
  readonly concurrencyMax: number
}

/** Everything that can be set for a queue; each setting has its row in `queueSettings`. Times are in ms. */
export interface QueueConfig extends DeliveryConfig {
  /**
   * What a message's group means: strict order within the group, or fair sharing of deliveries among groups. Fixed
   * when the queue is created.
   */
  readonly groups: 'none' | 'ordered' | 'fair'
  /**
   * Encrypt what is stored with one key per message or per message group, which `erase` deletes. Fixed when the
   * queue is created.
   */
  readonly erasable: 'none' | 'message' | 'group'
  /** Drop repeated sends: by dedup id, which is then required, or by body where a send has none. */
  readonly dedup: 'off' | 'id' | 'content'
  /** Whether repeats are looked for in the whole queue or in the group. */
  readonly dedupScope: 'queue' | 'group'
  /** How long a repeated send is recognized; after that it is a new message. */
  readonly dedupWindowMs: number
  /** Messages that are not final after this time are discarded. */
  readonly retentionMs: number
  /** Count retention from the arrival in this queue, or from the first send of a forwarded message. */
  readonly retentionFrom: 'arrival' | 'original'
  /** Delay of sends that give none. */
  readonly deliveryDelayMs: number
  /** Maximum size of a body. */
  readonly bodyBytesMax: number
  /** Index JSON bodies, so that `kiroku search` finds messages by values in them; for messages sent from then on. */
  readonly indexBody: 'off' | 'on'
  /**
   * Hide bodies in the HTTP API and console, and attributes from viewers; operators may reveal a body, which is logged.
   * Follows messages that are forwarded from here, also after the queue is deleted.
   */
  readonly bodyHidden: 'off' | 'on'
  /** With bodyHidden: hide the texts of errors from viewers as well, since handlers put what they handled into them. */
  readonly errorHidden: 'off' | 'on'
  /** JSON Schema for bodies; `bodyCheck` says which. */
  readonly bodySchema: Readonly<Record<string, unknown>> | null
  /**
   * Which bodies must fit bodySchema: edited ones only, or every body sent or redriven to this queue. Dead letters
   * always arrive.
   */
  readonly bodyCheck: 'edits' | 'all'
  /** Delete the queue with its messages after this long without a receive; 0 is never. */
  readonly idleMs: number
}
