import {
  checkOptions,
  KirokuError,
  limits as partitionLimits,
  type OptionRules,
  rule,
} from '@kiroku/protocol'

/** How a verdict asks for another attempt. */
export interface RetryOptions {
  /** Pause in ms; absent: the queue's policy; 0: none. */
  readonly delayMs?: number | undefined
  /** Why, for the record: a text or an error, at most 1,000 characters. */
  readonly error?: string | Error | undefined
}

/** How a verdict gives a message back without costing it the attempt. */
export interface ReleaseOptions {
  /** Pause in ms; absent or 0: none. */
  readonly delayMs?: number | undefined
  /** Why, for the record: a text or an error, at most 1,000 characters. */
  readonly error?: string | Error | undefined
  /**
   * Hold the deliveries of the whole subscription for as long; a longer hold stays. Needs a delay.
   */
  readonly holdSubscription?: boolean | undefined
}

/** The same with the error as a text. */
export type Told<Options extends RetryOptions> = Omit<Options, 'error'> & {
  readonly error?: string | undefined
}

/** What to do with delivered messages. */
export type Settlement =
  | { readonly type: 'Ack' }
  | ({ readonly type: 'Retry' } & Told<RetryOptions>)
  | { readonly type: 'Extend'; readonly leaseMs: number }
  | ({ readonly type: 'Release' } & Told<ReleaseOptions>)
  | { readonly type: 'DeadLetter'; readonly error?: string | undefined }

/** The settlement that asks for another attempt. Errors: `InvalidArgument`. */
export const retryOf = (options: RetryOptions): Settlement & { readonly type: 'Retry' } => {
  checkOptions('retry', options, retryOptions)
  return { type: 'Retry', delayMs: options.delayMs, error: reasonOf(options.error) }
}

/** The settlement that gives messages back. Errors: `InvalidArgument`, also for a hold without a delay. */
export const releaseOf = (options: ReleaseOptions): Settlement & { readonly type: 'Release' } => {
  checkOptions('release', options, releaseOptions)
  const { delayMs, error, holdSubscription = false } = options
  if (holdSubscription && !((delayMs ?? 0) > 0))
    throw new KirokuError('InvalidArgument', 'holdSubscription needs a delay: how long to hold deliveries')
  return {
    type: 'Release',
    delayMs,
    error: reasonOf(error),
    ...(holdSubscription ? { holdSubscription } : {}),
  }
}

/** The settlement that sends messages to the dead-letter queue. */
export const deadLetterOf = (error: unknown): Settlement & { readonly type: 'DeadLetter' } => ({
  type: 'DeadLetter',
  error: reasonOf(error),
})

/** A reason for the record, if there is one. */
export const reasonOf = (error: unknown): string | undefined =>
  error === undefined ? undefined : errorText(error)

/** What was thrown, as a text for the record. */
export const errorText = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, partitionLimits.errorCharactersMax)

const retryOptions: OptionRules<RetryOptions> = { delayMs: rule.milliseconds, error: rule.any }
const releaseOptions: OptionRules<ReleaseOptions> = { ...retryOptions, holdSubscription: rule.flag }
