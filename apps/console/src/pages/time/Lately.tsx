import { isReplyQueue } from '@kiroku/protocol'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { historyRanges } from '../../data/historyRanges.ts'
import { useMoment } from '../../data/moment.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { useHistory } from '../../data/useHistory.ts'
import { DataTable, sorted, type Sorting } from '../../parts/DataTable.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { HistoryNote } from '../../parts/HistoryNote.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Reading } from '../../parts/Reading.tsx'
import { Segments } from '../../parts/Segments.tsx'
import { When } from '../../parts/When.tsx'
import { actWords } from '@kiroku/audit/event-words'
import { count } from '../../parts/format.ts'
import { useNarrow } from '../../parts/useNarrow.ts'
import { momentText } from '../../time/timeWindow.ts'
import styles from './Lately.module.css'
import { changeColumns } from './changeColumns.tsx'
import { queueChanges, totalOf } from './queueChanges.ts'

const [, ...longer] = historyRanges
/** How long "lately" is. */
const spans = [{ key: '5m', name: '5 min', words: '5 minutes', ms: 300_000 }, ...longer] as const

/** Bars per small chart: few enough that 600 queues each get theirs. */
const buckets = 30
const againMs = 5_000
/** Acts that are told here; the others are on the audit page. */
const actsMax = 6

/** What changed lately, or before the moment that is looked at, in all queues; each leads to a comparison. `to`: that moment. */
export const Lately = ({ to }: { readonly to: number | undefined }) => {
  const { at } = useMoment()
  const { search, setSearch } = usePageSearch()
  const isNarrow = useNarrow()
  const navigate = useNavigate()
  const [sorting, setSorting] = useState<Sorting>()
  const span = spans.find(({ key }) => key === search['lately']) ?? spans[0]
  const { data, error, isPlaceholderData, refetch } = useHistory(
    { ms: span.ms, to, buckets },
    { everyMs: againMs, by: 'queue', enabled: at === undefined || to !== undefined },
  )
  const total = useMemo(() => data && totalOf(data.buckets), [data])
  const columns = useMemo(() => changeColumns(data, isNarrow), [data, isNarrow])
  const changes = useMemo(() => {
    if (data === undefined) return undefined
    const all = queueChanges(data)
    const own = all.filter(({ queue }) => !isReplyQueue(queue))
    return { own, replies: all.length - own.length }
  }, [data])
  const rows = useMemo(
    () => (changes === undefined ? [] : sorted(changes.own, columns, sorting)),
    [changes, columns, sorting],
  )
  const compare = (queue: string): void => {
    const { from, now } = data!
    void navigate({
      to: '.',
      search: ((before: object) => ({
        ...{ ...before, queue },
        // What is counted begins with a whole bucket.
        ...{ a: momentText(from), b: momentText(to ?? now) },
      })) as never,
    })
  }
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
          {rows.length > 0 ? (
            <DataTable
              label="What changed by queue"
              rows={rows}
              columns={columns}
              rowKey={({ queue }) => queue}
              onOpen={({ queue }) => compare(queue)}
              {...(sorting === undefined ? {} : { sorting })}
              onSort={setSorting}
              height="26rem"
            />
          ) : (
            <Empty title="Nothing changed">
              <p>No message moved, and no queue changed.</p>
              {span !== spans.at(-1) && (
                <button type="button" className="button" onClick={() => setSpan('24h')}>
                  Look at 24 hours
                </button>
              )}
            </Empty>
          )}
          {data.queuesTotal !== undefined && data.queuesTotal > (data.queues?.length ?? 0) && (
            <p className="quiet">
              The {count(data.queues!.length)} busiest of {count(data.queuesTotal)} queues where something
              happened.
            </p>
          )}
          {changes !== undefined && changes.replies > 0 && (
            <p className="quiet">
              Reply queues are counted, but not listed: {count(changes.replies)} changed.
            </p>
          )}
          {data.acts.length > 0 && (
            <section className={styles['acts']} aria-labelledby="lately-acts">
              <header className="row">
                <h3 id="lately-acts">Administrative acts</h3>
                <Link to="/audit" search={((before: { at?: string }) => ({ at: before.at })) as never}>
                  All on the audit page
                </Link>
              </header>
              <ol>
                {data.acts.slice(0, actsMax).map((act) => (
                  <li key={`${act.partition}/${act.seq} ${act.event}`}>
                    <span className="quiet">
                      <When at={act.at} />
                    </span>
                    <span>
                      <strong>{act.by.name}</strong> {actWords(act.event)} {act.queue}
                    </span>
                    {act.by.reason !== undefined && <span className="quiet">“{act.by.reason}”</span>}
                  </li>
                ))}
              </ol>
            </section>
          )}
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
