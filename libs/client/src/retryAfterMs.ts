/**
 * Minimum pause, whatever the upstream says: a `Retry-After` is in whole seconds, and 0 would be a tight
 * loop.
 */
const shortestMs = 1_000

const seconds = /^\d+(\.\d+)?$/
const date = /^(mon|tue|wed|thu|fri|sat|sun)/i

/**
 * Reads the `Retry-After` of an HTTP answer: seconds, or a date, which is compared with this machine's clock.
 *
 * @param header as `response.headers.get('retry-after')` gives it
 * @param nowMs time in ms since 1970
 * @returns the pause in ms, at least 1,000; undefined where there is none or it cannot be read
 * @example
 * const response = await fetch(url)
 * if (response.status === 429) message.release({ delayMs: retryAfterMs(response.headers.get('retry-after')) ?? 30_000 })
 */
export const retryAfterMs = (
  header: string | null | undefined,
  nowMs: number = Date.now(),
): number | undefined => {
  const text = header?.trim() ?? ''
  if (seconds.test(text)) return Math.max(shortestMs, Math.ceil(Number(text) * 1_000))
  if (!date.test(text)) return undefined
  // One of the three date formats has no zone, and means GMT too.
  const at = Date.parse(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(shortestMs, at - nowMs)
}
