import type { History, HistoryBucket } from '@kiroku/audit'
import { useMemo } from 'react'
import { keepsUpMs } from '../data/useHistory.ts'
import { count } from '../parts/format.ts'
import { shareOf, type TimeWindow } from './timeWindow.ts'
import styles from './Histogram.module.css'

/** Size of the drawing, and the least height of a bar, in its units. */
const [width, height, leastHeight] = [1_000, 100, 4]

/** How often something happened to a message: once per subscription, except for sends. */
export const changesIn = ({
  sent = 0,
  delivered = 0,
  committed = 0,
  failed = 0,
  discarded = 0,
}: Partial<HistoryBucket>) => sent + delivered + committed + failed + discarded

/** How much happened over a window of time: one bar per bucket, with failed attempts at its foot in red. */
export const Histogram = ({
  history,
  window: shown,
}: {
  readonly history: History
  readonly window: TimeWindow
}) => {
  const { all, failed, summary } = useMemo(() => drawn(history, shown), [history, shown])
  const unread = shareOf(shown, history.known.to)
  return (
    <svg
      className={styles['histogram']}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={summary}
    >
      <path className={styles['all']} d={all} />
      <path className={styles['failed']} d={failed} />
      {history.known.to < history.now - keepsUpMs && unread < 1 && (
        <rect className={styles['unread']} x={unread * width} width={(1 - unread) * width} height={height} />
      )}
    </svg>
  )
}

const drawn = ({ buckets, bucketMs }: History, shown: TimeWindow) => {
  const inside = buckets.filter(({ at }) => at + bucketMs > shown.from && at < shown.to)
  const most = Math.max(1, ...inside.map(changesIn))
  const place = (at: number): string => (shareOf(shown, at) * width).toFixed(1)
  const bar = (at: number, n: number): string => {
    const top = n === 0 ? height : height - Math.max(leastHeight, (n / most) * height)
    // A hair's breadth is left between two bars.
    return `M${place(at)} ${height}V${top.toFixed(1)}H${place(at + bucketMs * 0.88)}V${height}Z`
  }
  const sum = (of: (bucket: HistoryBucket) => number): number =>
    inside.reduce((total, bucket) => total + of(bucket), 0)
  return {
    all: inside.map((bucket) => bar(bucket.at, changesIn(bucket))).join(''),
    failed: inside.flatMap(({ at, failed = 0 }) => (failed === 0 ? [] : [bar(at, failed)])).join(''),
    summary: `How much happened: ${count(sum(changesIn))} changes of messages, ${count(sum(({ failed = 0 }) => failed))} failed attempts`,
  }
}
