import type { QueueAddress, RetryPolicy } from '@kiroku/message'
import { queueSettings } from './queueSettings.ts'

/** Where exhausted messages go: the name for people, the address for events. */
export interface DeadLetterTarget extends QueueAddress {
  readonly name: string
}

/** What can be set for a queue and, beside it, for each of its subscriptions. Times are in ms. */
export interface DeliveryConfig {
  /** Lease of a delivery, unless the receive asks for another. */
  readonly leaseMs: number
  /** Shortest lease that a receive or an extension may ask for. */
  readonly leaseMinMs: number
  /** No extension moves a lease further than this from its receive; 0 is no cap. */
  readonly leaseCapMs: number
  /** Retries after the first delivery. */
  readonly retriesMax: number
  /** Pause before a retry. */
  readonly retry: RetryPolicy
  /** When a message whose attempts are used up leaves. */
  readonly exhaustion: 'onExpiry' | 'onNextReceive'
  /** Whether an ack after the end of the lease counts. */
  readonly lateHandles: 'accept' | 'reject'
  /** Queue that exhausted messages go to, created if it is missing; without one they are discarded. */
  readonly deadLetter: DeadLetterTarget | null
  /** Long poll of a receive that asks for none. */
  readonly receiveWaitMs: number
  /** A consumer's batch closes at this many messages. */
  readonly batchMessages: number
  /** A batch waits this long, from its first available message, for more of them; 0 delivers at once. */
  readonly batchWaitMs: number
  /** A batch closes at this size. */
  readonly batchBytes: number
  /** Messages delivered a second; a pause saves up to one second of them. 0 is no limit. */
  readonly rateMax: number
  /** Messages in flight at most; 0 is no limit. */
  readonly inflightMax: number
  /** Deliveries, that is batches, in flight at most; 0 is no limit. */
  readonly concurrencyMax: number
}

/** Everything that can be set for a queue; each setting has its row in `queueSettings`. Times are in ms. */
export interface QueueConfig extends DeliveryConfig {
  /**
   * What a message's group means: strict order within it, or a fair share of deliveries among groups. Set once, when
   * the queue is created.
   */
  readonly groups: 'none' | 'ordered' | 'fair'
  /**
   * Encrypt what is stored with a key a message, or a message group, which `erase` deletes. Set once, when the queue
   * is created.
   */
  readonly erasable: 'none' | 'message' | 'group'
  /**
   * Store a message once that is sent again: known by the id that every send must give, or by the body where a send
   * gives none.
   */
  readonly dedup: 'off' | 'id' | 'content'
  /** Whether a repeat is looked for in the whole queue or in its group. */
  readonly dedupScope: 'queue' | 'group'
  /** A message that is sent again after this is a new one. */
  readonly dedupWindowMs: number
  /** A message that is not final after this is discarded. */
  readonly retentionMs: number
  /** Count retention from the arrival here, or from the first send of a forwarded message. */
  readonly retentionFrom: 'arrival' | 'original'
  /** Delay of a send that asks for none. */
  readonly deliveryDelayMs: number
  /** Largest body that a send may have. */
  readonly bodyBytesMax: number
  /**
   * Whether `kiroku search` finds messages by values in their bodies, where these are JSON; for messages sent from
   * then on.
   */
  readonly indexBody: 'off' | 'on'
  /**
   * Whether the HTTP API and its console show bodies only to operators who ask for them, of which the log of the
   * engine tells; for messages wherever they go from here.
   */
  readonly bodyHidden: 'off' | 'on'
  /** JSON Schema that a body must fit when it is edited, here or on its way back to here. */
  readonly bodySchema: Readonly<Record<string, unknown>> | null
  /**
   * What bodySchema holds for: edited bodies only, or every body that is sent or redriven to here. Dead letters
   * always arrive.
   */
  readonly bodyCheck: 'edits' | 'all'
  /** Without a receive for so long the queue is deleted with its messages; 0 is never. */
  readonly idleMs: number
}

/** The defaults of the native door. */
export const defaultQueueConfig = Object.fromEntries(
  Object.entries(queueSettings).map(([name, row]) => [name, row.default]),
) as unknown as QueueConfig
