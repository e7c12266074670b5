import { useMemo } from 'react'
import { historyRanges } from '../../data/historyRanges.ts'
import { useMoment } from '../../data/moment.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { useHistory } from '../../data/useHistory.ts'
import { HistoryNote } from '../../parts/HistoryNote.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Reading } from '../../parts/Reading.tsx'
import { Segments } from '../../parts/Segments.tsx'
import { count } from '../../parts/format.ts'
import { ChangedQueues } from './ChangedQueues.tsx'
import styles from './Lately.module.css'
import { LatelyActs } from './LatelyActs.tsx'
import { totalOf } from './queueChanges.ts'

const [, ...longer] = historyRanges
/** How long "lately" is. */
const spans = [{ key: '5m', name: '5 min', words: '5 minutes', ms: 300_000 }, ...longer] as const

/** Bars per small chart: few enough that 600 queues each get theirs. */
const buckets = 30
const againMs = 5_000

/**
 * What changed lately, or before the chosen moment, in all queues; each leads to a comparison. `to`: that
 * moment.
 */
export const Lately = ({ to }: { readonly to: number | undefined }) => {
  const { at } = useMoment()
  const { search, setSearch } = usePageSearch()
  const span = spans.find(({ key }) => key === search['lately']) ?? spans[0]
  const { data, error, isPlaceholderData, refetch } = useHistory(
    { ms: span.ms, to, buckets },
    { everyMs: againMs, by: 'queue', enabled: at === undefined || to !== undefined },
  )
  const total = useMemo(() => data && totalOf(data.buckets), [data])
  const setSpan = (key: (typeof spans)[number]['key']): void =>
    setSearch({ lately: key === spans[0].key ? undefined : key }, { replace: true })
  return (
    <section className={styles['lately']} aria-labelledby="lately">
      <header className={styles['head']}>
        <h2 id="lately">
          What changed in the {at === undefined ? 'last ' : ''}
          {span.words}
          {at === undefined ? '' : ' before'}
        </h2>
        <Segments label="How far back" options={spans} value={span.key} onChange={setSpan} />
      </header>
      {data === undefined &&
        (error === null ? (
          <Reading what="what happened" />
        ) : (
          <Problem error={error} retry={() => void refetch()} />
        ))}
      {data !== undefined && total !== undefined && (
        <div className={styles['found']} data-stale={isPlaceholderData}>
          <dl className={styles['totals']}>
            <Total name="Sent" n={total.sent} />
            <Total name="Done" n={total.committed} />
            <Total name="Failed attempts" n={total.failed} isBad />
            <Total name="Dead-lettered" n={total.deadLettered} isBad />
            <Total name="Discarded" n={total.discarded} />
            <Total name="Administrative acts" n={data.acts.length} />
          </dl>
          <HistoryNote history={data} until={to} error={error} />
          <ChangedQueues
            history={data}
            to={to}
            {...(span === spans.at(-1) ? {} : { lookLonger: () => setSpan('24h') })}
          />
          <LatelyActs acts={data.acts} />
        </div>
      )}
    </section>
  )
}

const Total = ({
  name,
  n,
  isBad = false,
}: {
  readonly name: string
  readonly n: number
  readonly isBad?: boolean
}) => (
  <div>
    <dt>{name}</dt>
    <dd data-bad={isBad && n > 0} data-zero={n === 0}>
      {count(n)}
    </dd>
  </div>
)
