import type { ConsumedMessage } from './Batch.ts'
import type { Batch } from './Batch.ts'

/** Handles one batch: returning acknowledges what it did not settle, throwing retries it. */
export type BatchHandler = (batch: Batch) => unknown

/** Handles one message: returning acknowledges it, throwing retries it. */
export type MessageHandler = (message: ConsumedMessage) => unknown

/** Settings of a consumer; what is absent is the queue's. */
export interface ConsumeOptions {
  /** Most messages of a batch, 1 to 1,000. */
  readonly batchMessages?: number | undefined
  /** Time in ms, from the first available message, to wait for a fuller batch. */
  readonly batchWaitMs?: number | undefined
  /** Batches handled at the same time; default 1. */
  readonly concurrency?: number | undefined
  readonly leaseMs?: number | undefined
  /** Extend leases while the handler works; default true. */
  readonly heartbeat?: boolean | undefined
}

/** A running consumer. */
export interface Consumer {
  /**
   * Takes no more batches, lets handlers finish for `timeoutMs` (default 10,000), releases the rest.
   * Resolves when all of it is stored.
   */
  stop(options?: { readonly timeoutMs?: number }): Promise<void>
  /** Settles when the consumer has ended; rejects if an error ended it. */
  readonly closed: Promise<void>
}
