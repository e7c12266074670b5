import type { QueueCounts } from '@kiroku/protocol'
import type { FeedModel } from '../../data/FeedModel.ts'
import { noActivity, type Tally } from '../../data/QueueActivity.ts'
import type { LyingLetters } from '../../data/letterQueues.ts'
import type { QueueInfo } from '../../data/queueInfos.ts'
import { time } from '../../parts/format.ts'
import { forecast, nearLimit, type Outlook } from './outlook.ts'

/** A queue as a row of the list. */
export interface QueueRow {
  readonly name: string
  /** Number of queues folded into this row; absent: it is one queue. */
  readonly folded?: number
  readonly counts: QueueCounts
  readonly tally: Tally
  readonly outlook: Outlook
  readonly oldestAgeMs?: number
  readonly times?: QueueInfo['times']
  readonly isPaused: boolean
  /** Other queues send their dead letters here. */
  readonly isLetterQueue: boolean
  /** Messages in it, or in the dead-letter queues that it names; undefined: it names none. */
  readonly letters?: LyingLetters
}

/** Dead letters of a row. */
export type Letters = Pick<QueueRow, 'isLetterQueue' | 'letters'>

/** Over how many seconds rates are taken. */
export const rateSeconds = 15

/** Messages of a queue that are due and not final. */
export const waitingOf = ({ available, inflight, waitingRetry }: QueueCounts): number =>
  available + inflight + waitingRetry

/** That nothing is delivered, and until when. */
export const stillOutlook = ({
  deliveryPaused,
  subscriptions,
}: Pick<QueueInfo, 'deliveryPaused' | 'subscriptions'>): Outlook | undefined => {
  if (deliveryPaused) return { kind: 'paused', text: 'paused' }
  const ends = subscriptions.map(({ hold }) => hold?.until ?? 0)
  return ends.length === 0 || ends.includes(0)
    ? undefined
    : { kind: 'paused', text: `held until ${time(Math.min(...ends), Date.now())}` }
}

/**
 * The most important fact about a queue: that it is paused, that a limit is near, or its outlook. `tally` is
 * of `seconds`.
 */
export const outlookOf = (
  counts: QueueCounts,
  tally: Tally,
  seconds: number,
  info: QueueInfo | undefined,
): Outlook => {
  if (info !== undefined) {
    const still = stillOutlook(info)
    if (still !== undefined) return still
    const near = nearLimit(info.config, counts, tally)
    if (near !== undefined) return { kind: 'limit', text: near }
  }
  return forecast(waitingOf(counts), tally, seconds)
}

/** Rows of the queues whose names contain the text, as the feed knows them; what it does not know comes from `infos`. */
export const liveRows = (
  model: FeedModel,
  infos: ReadonlyMap<string, QueueInfo>,
  contained: string,
  now: number,
  lettersOf: (name: string) => Letters,
): QueueRow[] => {
  const activity = model.activity(now, rateSeconds)
  const known = model.knownSeconds(now, rateSeconds)
  return namesWith(model.queueNames(), contained).map((name) => {
    const counts = model.countsOf(name)!
    const tally = activity.get(name) ?? noActivity
    const info = infos.get(name)
    return {
      name,
      counts,
      tally,
      ...lettersOf(name),
      outlook: outlookOf(counts, tally, known, info),
      isPaused: info?.deliveryPaused ?? false,
      ...(info === undefined ? {} : { oldestAgeMs: info.oldestAgeMs }),
      ...(info?.times === undefined ? {} : { times: info.times }),
    }
  })
}

/** Rows from `infos`, without rates: for the past, and while the feed is away. */
export const standingRows = (
  infos: readonly QueueInfo[],
  contained: string,
  lettersOf: (name: string) => Letters,
): QueueRow[] => {
  const names = new Set(
    namesWith(
      infos.map(({ name }) => name),
      contained,
    ),
  )
  return infos
    .filter(({ name }) => names.has(name))
    .map((info) => ({
      name: info.name,
      counts: info.counts,
      tally: noActivity,
      ...lettersOf(info.name),
      outlook: stillOutlook(info) ?? { kind: 'quiet', text: '' },
      oldestAgeMs: info.oldestAgeMs,
      isPaused: info.deliveryPaused,
    }))
}

const namesWith = (names: readonly string[], contained: string): readonly string[] => {
  const text = contained.trim().toLowerCase()
  return text === '' ? names : names.filter((name) => name.toLowerCase().includes(text))
}
