import { KirokuError } from '@kiroku/protocol'

/** Speed of a replay: a multiple of real time, a frame per key, or as fast as possible. */
export type PlaySpeed =
  | { readonly kind: 'times'; readonly factor: number }
  | { readonly kind: 'step' | 'all' }

/** Reads `1x` to `1000x`, `step` or `max`. Errors: `InvalidArgument`. */
export const parseSpeed = (text: string): PlaySpeed => {
  if (text === 'step') return { kind: 'step' }
  if (text === 'max') return { kind: 'all' }
  const factor = Number(/^(\d+(?:\.\d+)?)x$/.exec(text)?.[1] ?? Number.NaN)
  if (factor >= 1 && factor <= 1_000) return { kind: 'times', factor }
  throw new KirokuError('InvalidArgument', `--speed: "${text}" is not 1x to 1000x, step or max`)
}
