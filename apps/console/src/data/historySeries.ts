import type { History, TallyField } from '@kiroku/audit'

/** A rate over less than this share of a bucket is meaningless. */
const shareMin = 0.25

/**
 * What happened in each bucket of a history that begins before `until`, in ms, the earliest first; undefined
 * if that is not known. `rates` are per second; `waiting` is how many messages waited at the end of each.
 */
export const historySeries = ({ from, to, bucketMs, known, buckets, waitingBefore }: History, until = to) => {
  const byTime = new Map(buckets.map((bucket) => [bucket.at, bucket] as const))
  const end = Math.min(until, known.to)
  const length = Math.max(0, Math.ceil((Math.min(to, until) - from) / bucketMs))
  /** How much of a bucket is known, in ms. */
  const knownMs = (at: number): number => Math.max(0, Math.min(at + bucketMs, end) - Math.max(at, known.from))
  const each = <T>(value: (at: number, ms: number) => T | undefined): (T | undefined)[] =>
    Array.from({ length }, (_, i) => {
      const at = from + i * bucketMs
      const ms = knownMs(at)
      return ms === 0 ? undefined : value(at, ms)
    })
  return {
    length,
    waiting: () => {
      let waiting = waitingBefore
      return each((at) => (waiting += byTime.get(at)?.waiting ?? 0))
    },
    counts: (field: TallyField) => each((at) => byTime.get(at)?.[field] ?? 0),
    rates: (field: TallyField) =>
      each((at, ms) =>
        ms < bucketMs * shareMin ? undefined : ((byTime.get(at)?.[field] ?? 0) * 1_000) / ms,
      ),
  }
}
