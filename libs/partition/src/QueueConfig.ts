import type { Exhaustion, LateHandles, QueueAddress, RetryPolicy } from '@kiroku/message'

/** Where exhausted messages go: the name for people, the address for events. */
export interface DeadLetterTarget extends QueueAddress {
  readonly name: string
}

/** Everything that can be set for a queue. Times are in ms. */
export interface QueueConfig {
  /** Lease of a delivery, unless the receive asks for another; 1 ms to 12 h. */
  readonly leaseMs: number
  /** No extension moves a lease further than this from its receive; 0 is no cap. */
  readonly leaseCapMs: number
  /** Retries after the first delivery; 0 to 1,000. */
  readonly retriesMax: number
  readonly retry: RetryPolicy
  readonly exhaustion: Exhaustion
  readonly lateHandles: LateHandles
  readonly deadLetter: DeadLetterTarget | null
  /** A message that is not final after this is discarded; 1 s to 14 days. */
  readonly retentionMs: number
  /** Count retention from the arrival here, or from the first send of a forwarded message. */
  readonly retentionFrom: 'arrival' | 'original'
  /** Delay of a send that asks for none; 0 to 14 days. */
  readonly deliveryDelayMs: number
  /** Long poll of a receive that asks for none; 0 to 60 s. */
  readonly receiveWaitMs: number
  /** A consumer's batch closes at this many messages; 1 to 1,000. */
  readonly batchMessages: number
  /** …or this long after the first available message; 0 to 60 s. */
  readonly batchWaitMs: number
  /** …or at this many bytes. */
  readonly batchBytes: number
  /** Largest body that a send may have; up to 4 MiB. */
  readonly bodyBytesMax: number
}

/** The defaults of the native door. */
export const defaultQueueConfig: QueueConfig = {
  leaseMs: 30_000,
  leaseCapMs: 0,
  retriesMax: 3,
  retry: { kind: 'fixed', delayMs: 0 },
  exhaustion: 'onExpiry',
  lateHandles: 'accept',
  deadLetter: null,
  retentionMs: 4 * 86_400_000,
  retentionFrom: 'arrival',
  deliveryDelayMs: 0,
  receiveWaitMs: 0,
  batchMessages: 10,
  batchWaitMs: 5_000,
  batchBytes: 1024 * 1024,
  bodyBytesMax: 1024 * 1024,
}
