import type { QueueConfig, QueueCounts } from '@kiroku/protocol'
import type { Tally } from '../../data/QueueActivity.ts'
import { duration, rate } from '../../parts/format.ts'

/** What is to be expected of a queue, or what is wrong with it. */
export interface Outlook {
  readonly kind: 'quiet' | 'shrinking' | 'growing' | 'limit' | 'paused'
  readonly text: string
}

/** Slower changes than this, in messages per second, count as steady. */
const steadyPerSecond = 0.2
/** Fewer seconds than this allow no prediction. */
const knownSecondsMin = 5
/** From this share of a limit on it is near. */
const nearShare = 0.9
/** Predictions beyond this are meaningless. */
const farMs = 30 * 86_400_000

/** Which limit is near or reached, in words; the first one. */
export const nearLimit = (
  { rateMax, inflightMax }: Pick<QueueConfig, 'rateMax' | 'inflightMax'>,
  { inflight }: Pick<QueueCounts, 'inflight'>,
  { delivered }: Pick<Tally, 'delivered'>,
): string | undefined => {
  if (inflightMax > 0 && inflight >= inflightMax * nearShare) return `${inflight} of ${inflightMax} in flight`
  if (rateMax > 0 && delivered >= rateMax * nearShare)
    return `${rate(delivered)} of ${rate(rateMax)} delivered`
  return undefined
}

/**
 * When the queue is empty at this rate, or how it grows. `waiting` is what is due and not final. Arrivals and
 * departures vary by chance: changes within that over the `seconds` observed count as steady.
 */
export const forecast = (
  waiting: number,
  { waiting: growth, sent, committed }: Pick<Tally, 'waiting' | 'sent' | 'committed'>,
  seconds: number,
): Outlook => {
  if (seconds < knownSecondsMin) return { kind: 'quiet', text: '' }
  const chance = Math.max(steadyPerSecond, Math.sqrt((sent + committed) / seconds))
  if (growth > chance) return { kind: 'growing', text: `+${rate(growth)}` }
  if (waiting === 0) return { kind: 'quiet', text: '' }
  if (growth >= -chance) return { kind: 'quiet', text: 'steady' }
  const emptyMs = (waiting / -growth) * 1_000
  return emptyMs > farMs
    ? { kind: 'quiet', text: 'steady' }
    : {
        kind: 'shrinking',
        text: `empty in ${duration(Math.max(1_000, Math.round(emptyMs / 1_000) * 1_000))}`,
      }
}

/** Share of deliveries that were not the first of their message; undefined where nothing was delivered. */
export const retryShare = ({ delivered, redelivered }: Tally): number | undefined =>
  delivered === 0 ? undefined : Math.min(1, redelivered / delivered)
