import { inTime, KirokuError } from '@kiroku/protocol'
import type { ReleaseOptions } from './Settlement.ts'
import { retryAfterMs } from './retryAfterMs.ts'

/** What an upstream said, and what to do. */
export interface BackPressureOptions {
  /** Its `Retry-After`, as `response.headers.get('retry-after')` gives it: seconds or a date. */
  readonly retryAfter?: string | null | undefined
  /** Pause in ms, instead of `retryAfter`. */
  readonly delayMs?: number | undefined
  /**
   * Hold the deliveries of the whole subscription for as long, not only this handler's messages; default: no.
   */
  readonly holdSubscription?: boolean | undefined
  /** Why, for the record; at most 1,000 characters. */
  readonly reason?: string | undefined
}

/** Pause when the upstream does not say how long, in ms. */
const unsaidMs = 30_000

/**
 * Thrown by a handler whose upstream is too busy, as with HTTP 429. Messages without a verdict are given
 * back, wait for as long as the upstream asks, and lose no attempt, so that it never dead-letters them.
 * Without a readable `retryAfter` or a `delayMs` that is 30 s. Errors: `InvalidArgument`.
 *
 * @example
 * const response = await fetch(url, { method: 'POST', body: message.text() })
 * if (response.status === 429)
 *   throw new BackPressure({ retryAfter: response.headers.get('retry-after'), holdSubscription: true })
 */
export class BackPressure extends Error {
  override readonly name = 'BackPressure'
  /** Pause in ms. */
  readonly delayMs: number
  readonly holdSubscription: boolean

  constructor({ retryAfter, delayMs, holdSubscription = false, reason }: BackPressureOptions = {}) {
    if (delayMs !== undefined && !(delayMs > 0))
      throw new KirokuError('InvalidArgument', `delayMs must be above 0, not ${delayMs}`)
    const pauseMs = delayMs ?? retryAfterMs(retryAfter) ?? unsaidMs
    super(reason ?? `the upstream asks to wait for ${inTime(pauseMs)}`)
    this.delayMs = pauseMs
    this.holdSubscription = holdSubscription
  }
}

/**
 * Whether a handler threw a `BackPressure`; by its form, since a bundled handler has its own copy of the
 * class.
 */
export const isBackPressure = (thrown: unknown): thrown is BackPressure =>
  thrown instanceof Error &&
  thrown.name === 'BackPressure' &&
  Number((thrown as Partial<BackPressure>).delayMs) > 0

/** How to give back the messages of a handler that threw a `BackPressure`. */
export const deferral = ({ delayMs, holdSubscription, message }: BackPressure): ReleaseOptions => ({
  delayMs,
  holdSubscription,
  error: message,
})
