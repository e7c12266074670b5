/** How long a message pauses between a failure and its next attempt. Delays in ms. */
export type RetryPolicy =
  | { readonly kind: 'fixed'; readonly delayMs: number }
  | {
      readonly kind: 'exponential'
      readonly baseMs: number
      readonly factor: number
      readonly maxMs: number
      /** Share of the delay that chance may take away, 0 to 1. */
      readonly jitter: number
    }
  /** The 16 steps of RocketMQ's push consumers: 10 s, 30 s, 1 min … 2 h. */
  | { readonly kind: 'rocketmq' }
  /** The last delay repeats; an empty list means no pause. */
  | { readonly kind: 'list'; readonly delaysMs: readonly number[] }

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

const rocketmqDelaysMs = [
  10 * secondMs,
  30 * secondMs,
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30].map((minutes) => minutes * minuteMs),
  1 * hourMs,
  2 * hourMs,
]

const fromList = (delaysMs: readonly number[], attempt: number): number =>
  delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0

/**
 * The pause before the next attempt.
 * @param attempt the attempt that failed, from 1
 * @param random chance as an argument, 0 (inclusive) to 1; only jitter uses it
 * @returns whole ms
 */
export const retryDelayMs = (policy: RetryPolicy, attempt: number, random: number): number => {
  switch (policy.kind) {
    case 'fixed':
      return policy.delayMs
    case 'exponential': {
      // The factor grows to Infinity, and zero times that is no number.
      if (policy.baseMs === 0) return 0
      const delayMs = Math.min(policy.baseMs * policy.factor ** (attempt - 1), policy.maxMs)
      return Math.round(delayMs * (1 - policy.jitter * random))
    }
    case 'rocketmq':
      return fromList(rocketmqDelaysMs, attempt)
    case 'list':
      return fromList(policy.delaysMs, attempt)
  }
}
