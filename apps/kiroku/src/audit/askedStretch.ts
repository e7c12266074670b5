import type { AskedHistory } from '@kiroku/api'
import { parseSpan, type AskedStretch } from '@kiroku/audit'
import { auditLimits } from '@kiroku/auditor'
import { KirokuError } from '@kiroku/protocol'

/** What is asked for where nothing else is said. */
const defaults = { from: '15m', buckets: 90 }

/** Reads which stretch of history is asked for; `nowMs` is the moment from which durations count back. Errors: `InvalidArgument`. */
export const askedStretch = (
  { queue, from = defaults.from, to, buckets, by }: AskedHistory,
  nowMs: number,
): AskedStretch => {
  const timeOf = (name: string, text: string): number => {
    const span = parseSpan(text, nowMs)
    if (span !== undefined && span.from >= 0) return Math.min(span.from, nowMs)
    throw new KirokuError(
      'InvalidArgument',
      `${name}: "${text.slice(0, 60)}" is neither a time like 2026-11-20T14:00 (UTC) nor a duration ago like 24h`,
    )
  }
  const asked = {
    ...(queue === undefined ? {} : { queue }),
    from: timeOf('from', from),
    to: to === undefined ? nowMs : timeOf('to', to),
    buckets: buckets === undefined ? defaults.buckets : Number(buckets),
    byQueue: by === 'queue',
  }
  if (asked.from >= asked.to) throw new KirokuError('InvalidArgument', '"from" has to be earlier than "to"')
  if (!Number.isInteger(asked.buckets) || asked.buckets < 1 || asked.buckets > auditLimits.historyBucketsMax)
    throw new KirokuError('InvalidArgument', `buckets is a number from 1 to ${auditLimits.historyBucketsMax}`)
  if (by !== undefined && by !== 'queue')
    throw new KirokuError('InvalidArgument', `by: "${by.slice(0, 60)}" is not "queue"`)
  return asked
}
