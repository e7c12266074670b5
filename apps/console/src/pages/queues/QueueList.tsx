import { useMemo, useState } from 'react'
import { letterQueuesOf, lyingByQueue } from '../../data/letterQueues.ts'
import { useMoment, useScope } from '../../data/moment.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { useLogInfo } from '../../data/queueInfos.ts'
import { useIsAdmin, useSession } from '../../data/session.ts'
import { useFeed } from '../../data/useFeed.ts'
import { useRecent } from '../../data/useRecent.ts'
import { DataTable, sorted, type Sorting } from '../../parts/DataTable.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { count, deadLetters, rate } from '../../parts/format.ts'
import { MissingNotes } from '../../parts/MissingNotes.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { useNarrow } from '../../parts/useNarrow.ts'
import { CreateQueueDialog } from './CreateQueueDialog.tsx'
import { foldReplies, replyQueueText } from './foldReplies.ts'
import { queueColumns } from './queueColumns.tsx'
import { liveRows, standingRows, waitingOf, type Letters, type QueueRow } from './QueueRow.ts'
import styles from './QueueList.module.css'

/** How long the order of the rows and their rates are frozen, in ms, so that they can be clicked. */
const stillMs = 1_000

/** Dead-letter queues after the others, whatever the order: no consumer works on them. */
const lettersLast = (rows: readonly QueueRow[]): readonly QueueRow[] => [
  ...rows.filter(({ isLetterQueue }) => !isLetterQueue),
  ...rows.filter(({ isLetterQueue }) => isLetterQueue),
]

const sortingOf = (text: string | undefined): Sorting => {
  if (text === undefined) return { key: 'name', descending: false }
  return text.startsWith('-') ? { key: text.slice(1), descending: true } : { key: text, descending: false }
}

/** All queues with their counts and outlook. */
export const QueueList = () => {
  const { model, status, error } = useFeed()
  const recent = useRecent(undefined, model, 'queue').data
  const { commands } = useSession()
  const { at } = useMoment()
  const { setQueue } = useScope()
  const isNarrow = useNarrow()
  const { search, setSearch } = usePageSearch()
  const { name: contained = '', sort } = search
  const mayCreate = useIsAdmin()
  // Opened by a link to create a queue: show the dialog at once.
  const [isCreating, setCreating] = useState(
    () => mayCreate && (history.state as { isCreating?: boolean } | null)?.isCreating === true,
  )
  const log = useLogInfo()
  const infos = useMemo(() => new Map(log.data?.queues.map((info) => [info.name, info] as const)), [log.data])
  const lettersOf = useMemo(() => {
    const letterQueues = letterQueuesOf(log.data?.queues ?? [])
    const names = new Set(letterQueues.map(({ name }) => name))
    const lying = lyingByQueue(letterQueues)
    return (name: string): Letters => {
      const letters = lying.get(name)
      return { isLetterQueue: names.has(name), ...(letters === undefined ? {} : { letters }) }
    }
  }, [log.data])
  const isLive = at === undefined && model.hasSnapshot
  const now = Math.floor(Date.now() / stillMs) * stillMs
  const columns = useMemo(
    () => queueColumns(at === undefined ? model : undefined, recent, now, isNarrow),
    [at, model, recent, now, isNarrow],
  )
  const sorting = useMemo(() => sortingOf(sort), [sort])
  const rows = useMemo((): readonly QueueRow[] => {
    const each = isLive
      ? liveRows(model, infos, contained, now, lettersOf)
      : standingRows(log.data?.queues ?? [], contained, lettersOf)
    return lettersLast(sorted(contained === '' ? foldReplies(each) : each, columns, sorting))
  }, [isLive, model, infos, contained, now, lettersOf, log.data, columns, sorting])
  const problem = status === 'lost' ? (error ?? log.error) : at === undefined ? undefined : log.error
  const isKnown = isLive || log.data !== undefined
  return (
    <div className="page">
      <header className="page-head">
        <h1>Queues</h1>
        {isKnown && <Totals rows={rows} hasRates={isLive} />}
        <div className="row end">
          <input
            className="field"
            type="search"
            aria-label="Filter queues by name"
            placeholder="Filter by name"
            value={contained}
            onChange={(event) => setSearch({ name: event.target.value || undefined }, { replace: true })}
          />
          {mayCreate && (
            <button
              type="button"
              className="button"
              disabled={at !== undefined}
              onClick={() => setCreating(true)}
            >
              Create queue
            </button>
          )}
        </div>
      </header>
      {problem !== undefined && problem !== null && <Problem error={problem} />}
      <MissingNotes missing={log.data?.missing} />
      {!isKnown ? (
        problem === undefined || problem === null ? (
          <p className="quiet">Reading the queues…</p>
        ) : null
      ) : rows.length > 0 ? (
        <div className={status === 'lost' ? styles['stale'] : undefined}>
          <DataTable
            label="Queues"
            rows={rows}
            columns={columns}
            rowKey={({ name }) => name}
            onOpen={({ name, folded }) =>
              folded === undefined ? setQueue(name) : setSearch({ name: replyQueueText })
            }
            sorting={sorting}
            onSort={({ key, descending }) =>
              setSearch({ sort: `${descending ? '-' : ''}${key}` }, { replace: true })
            }
            height="calc(100dvh - 12.5rem)"
          />
        </div>
      ) : contained === '' ? (
        <Empty title={at === undefined ? 'No queues yet' : 'There were no queues then'}>
          {at === undefined && (
            <>
              <code>kiroku queue create mail</code> makes one
              {commands ? ', and so does the button above' : ''}.
            </>
          )}
        </Empty>
      ) : (
        <Empty title={`No queue has “${contained}” in its name`}>
          <button type="button" className="button" onClick={() => setSearch({ name: undefined })}>
            Show all
          </button>
        </Empty>
      )}
      {isCreating && <CreateQueueDialog onClose={() => setCreating(false)} />}
    </div>
  )
}

const Totals = ({ rows, hasRates }: { readonly rows: readonly QueueRow[]; readonly hasRates: boolean }) => {
  const working = rows.filter(({ isLetterQueue }) => !isLetterQueue)
  const sum = (of: (row: QueueRow) => number): number => working.reduce((total, row) => total + of(row), 0)
  const queues = working.reduce((total, { folded = 1 }) => total + folded, 0)
  const letters = rows.reduce((total, row) => total + (row.isLetterQueue ? (row.letters?.count ?? 0) : 0), 0)
  return (
    <p className="quiet">
      {count(queues)} {queues === 1 ? 'queue' : 'queues'} · {count(sum((r) => waitingOf(r.counts)))} waiting
      {hasRates && (
        <>
          {' '}
          · {rate(sum((r) => r.tally.sent))} in · {rate(sum((r) => r.tally.committed))} out
        </>
      )}
      {letters > 0 && (
        <>
          {' '}
          · <strong className={styles['letters']}>{deadLetters(letters)}</strong>
        </>
      )}
    </p>
  )
}
