import type { History, TallyField } from '@kiroku/audit'
import { memo, useMemo } from 'react'
import type { FeedModel } from '../../data/FeedModel.ts'
import { historyRanges, rangeOf, type HistoryRange, type HistoryRangeKey } from '../../data/historyRanges.ts'
import { historySeries } from '../../data/historySeries.ts'
import { useMoment } from '../../data/moment.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { useHistory } from '../../data/useHistory.ts'
import { useRecent } from '../../data/useRecent.ts'
import { count, rate } from '../../parts/format.ts'
import { HistoryNote } from '../../parts/HistoryNote.tsx'
import { Segments } from '../../parts/Segments.tsx'
import { stateColour } from '../../parts/StateMark.tsx'
import { TimeChart, type ChartLine } from '../../parts/TimeChart.tsx'
import { useAskedTime } from '../../time/useSpan.ts'
import { backlogSeries } from './backlogSeries.ts'
import styles from './QueueCharts.module.css'
import { rateSeconds, waitingOf } from './QueueRow.ts'

/** Values over time, oldest first; undefined where unknown. */
type Series = readonly (number | undefined)[]
type FlowField = Extract<TallyField, 'sent' | 'committed' | 'redelivered' | 'deadLettered'>

const lines = [
  ['sent', 'Sent', stateColour('Available'), []],
  ['committed', 'Done', stateColour('Committed'), [6, 3]],
  ['redelivered', 'Retried', stateColour('WaitingRetry'), [2, 3]],
  ['deadLettered', 'Dead-lettered', stateColour('DLQ'), [8, 3, 2, 3]],
] as const satisfies readonly (readonly [FlowField, string, string, readonly number[]])[]

/**
 * Most frequent refetch of a longer span, in ms; coarse ones a little less often than the length of a bucket.
 */
const [askMinMs, askMaxMs] = [5_000, 60_000]

interface Shown {
  readonly name: string
  /** The second that is shown, in ms. */
  readonly now: number
  /** Messages that wait at the end of what is shown. */
  readonly waiting: number
}

/** What happened in a queue, and its backlog: the last seconds live, hours from the record. */
export const QueueCharts = ({
  model,
  ...shown
}: Shown & {
  /** Absent in the past. */
  readonly model: FeedModel | undefined
}) => {
  const { search, setSearch } = usePageSearch()
  const range = rangeOf(search['range'])
  const setRange = (key: HistoryRangeKey): void =>
    setSearch({ range: key === historyRanges[0].key ? undefined : key }, { replace: true })
  return (
    <section className={styles['section']} aria-labelledby="charts-title">
      <header className={styles['head']}>
        <h2 id="charts-title">
          {model === undefined ? `The ${range.words} before` : `The last ${range.words}`}
        </h2>
        <Segments label="Range of the charts" options={historyRanges} value={range.key} onChange={setRange} />
      </header>
      {model !== undefined && range.key === '90s' ? (
        <LastSeconds {...shown} model={model} />
      ) : (
        <Stretch {...shown} range={range} />
      )}
    </section>
  )
}

/** The last seconds from the feed, after those before it from the record. */
const LastSeconds = ({ name, model, now, waiting }: Shown & { readonly model: FeedModel }) => {
  const recent = useRecent(name, model)
  // The feed is sampled once per second: charts are drawn no more often.
  const before = model.hasSnapshot ? 0 : waiting
  const series = useMemo(() => {
    const of = (field: FlowField | 'waiting'): Series => {
      const seen = model.series(name, field, now, historyRanges[0].buckets)
      return recent.data?.fill(seen, now, [field]) ?? seen
    }
    const counts = model.countsOf(name)
    return {
      rates: of,
      lastRates: model.activityOf(name, now, rateSeconds),
      backlog: backlogSeries(
        counts === undefined ? before : waitingOf(counts),
        model.unfinished(name, 'waiting', now),
        of('waiting'),
      ),
    }
  }, [name, model, now, recent.data, before])
  const isBehind = model.since !== undefined && recent.data?.covers(model.since) === false
  return (
    <>
      <Charts {...series} end={now} bucketMs={1_000} />
      <HistoryNote
        history={isBehind ? recent.data?.reach : undefined}
        until={model.since}
        error={recent.error}
      />
    </>
  )
}

/** A span of the record that ends now, or at the chosen moment. */
const Stretch = ({ name, range }: Shown & { readonly range: HistoryRange }) => {
  const { at } = useMoment()
  const to = useAskedTime()
  const { ms, buckets } = range
  const history = useHistory(
    { queue: name, ms, to, buckets },
    {
      everyMs: Math.min(askMaxMs, Math.max(askMinMs, ms / buckets)),
      enabled: at === undefined || to !== undefined,
    },
  )
  const { data } = history
  const series = useMemo(() => data && seriesOf(data, to ?? data.now), [data, to])
  return (
    <>
      {series === undefined ? (
        <div className={styles['charts']}>
          {history.error === null && (
            <p className="quiet" role="status">
              Loading…
            </p>
          )}
        </div>
      ) : (
        <Charts {...series} />
      )}
      <HistoryNote history={data} until={to} error={history.error} />
    </>
  )
}

const seriesOf = (history: History, until: number) => {
  const { length, rates, waiting } = historySeries(history, until)
  const last = (field: FlowField): number => rates(field).findLast((each) => each !== undefined) ?? 0
  return {
    rates,
    lastRates: {
      sent: last('sent'),
      committed: last('committed'),
      redelivered: last('redelivered'),
      deadLettered: last('deadLettered'),
    },
    backlog: waiting(),
    end: history.from + length * history.bucketMs,
    bucketMs: history.bucketMs,
  }
}

interface Drawn {
  readonly rates: (field: FlowField) => Series
  readonly lastRates: Readonly<Record<FlowField, number>>
  /** Messages that waited at the end of each bucket. */
  readonly backlog: Series
  readonly end: number
  readonly bucketMs: number
}

const Charts = memo(({ rates, lastRates, backlog, end, bucketMs }: Drawn) => {
  const flow = useMemo(
    () =>
      lines.map(([key, name, colour, dash]): ChartLine => ({
        ...{ name, colour, dash },
        values: rates(key),
        last: rate(lastRates[key]),
        text: rate,
      })),
    [rates, lastRates],
  )
  const waiting = useMemo((): readonly ChartLine[] => {
    const last = count(backlog.findLast((each) => each !== undefined) ?? 0)
    return [{ name: 'Waiting', colour: 'var(--accent)', dash: [], values: backlog, last, text: count }]
  }, [backlog])
  return (
    <div className={styles['charts']}>
      <TimeChart label="Messages per second" lines={flow} end={end} bucketMs={bucketMs} />
      <TimeChart label="Backlog" lines={waiting} end={end} bucketMs={bucketMs} />
    </div>
  )
})
