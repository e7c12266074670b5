import { KirokuError } from '@kiroku/protocol'

/** How a verdict asks for another attempt. */
export interface RetryOptions {
  /** Pause in ms; absent: the queue's policy; 0: none. */
  readonly delayMs?: number | undefined
  /** Why, for the record; at most 1,000 characters. */
  readonly error?: string | undefined
}

/** How a verdict gives a message back without costing it the attempt. */
export interface ReleaseOptions {
  /** Pause in ms; absent or 0: none. */
  readonly delayMs?: number | undefined
  /** Why, for the record; at most 1,000 characters. */
  readonly error?: string | undefined
  /**
   * Hold the deliveries of the whole subscription for as long; a longer hold stays. Needs a delay.
   */
  readonly holdSubscription?: boolean | undefined
}

/** What to do with delivered messages. */
export type Settlement =
  | { readonly type: 'Ack' }
  | ({ readonly type: 'Retry' } & RetryOptions)
  | { readonly type: 'Extend'; readonly leaseMs: number }
  | ({ readonly type: 'Release' } & ReleaseOptions)
  | { readonly type: 'DeadLetter'; readonly error?: string | undefined }

/** The settlement that gives messages back. Errors: `InvalidArgument` for a hold without a delay. */
export const releaseOf = ({
  delayMs,
  error,
  holdSubscription = false,
}: ReleaseOptions): Settlement & { readonly type: 'Release' } => {
  if (holdSubscription && !((delayMs ?? 0) > 0))
    throw new KirokuError('InvalidArgument', 'holdSubscription needs a delay: how long to hold deliveries')
  return { type: 'Release', delayMs, error: clip(error), ...(holdSubscription ? { holdSubscription } : {}) }
}

/** An error text for the record. */
export const clip = (error: string | undefined): string | undefined => error?.slice(0, 1_000)
