import { useScope } from '../../data/moment.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { DataTable, sorted, type Column } from '../../parts/DataTable.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Figure, Figures } from '../../parts/Figures.tsx'
import { count } from '../../parts/format.ts'
import { MissingNotes } from '../../parts/MissingNotes.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { useNarrow } from '../../parts/useNarrow.ts'
import { StateShape } from '../../parts/StateMark.tsx'
import type { LetterQueue } from '../../data/letterQueues.ts'
import { TopErrors } from './TopErrors.tsx'
import { useLetterQueues } from './useLetters.ts'
import styles from './Dlq.module.css'

const wide: readonly Column<LetterQueue>[] = [
  {
    key: 'name',
    head: 'Dead-letter queue',
    width: 'minmax(7rem, 1.4fr)',
    cell: ({ name, letters }) => (
      <span className={styles['name']}>
        {letters > 0 ? <StateShape state="DLQ" /> : <StateShape state="Committed" />}
        {name}
      </span>
    ),
    sort: ({ name }) => name,
  },
  {
    key: 'letters',
    head: 'Messages',
    width: '5.25rem',
    isNumber: true,
    cell: ({ letters }) => count(letters),
    sort: ({ letters }) => letters,
  },
  {
    key: 'arrived',
    head: 'Last hour',
    width: '5rem',
    isNumber: true,
    cell: ({ arrived }) =>
      arrived === undefined ? '' : arrived === 0 ? <span className="quiet">0</span> : `+${count(arrived)}`,
    sort: ({ arrived }) => arrived ?? 0,
  },
  {
    key: 'inflight',
    head: 'In flight',
    width: '6rem',
    isNumber: true,
    cell: ({ inflight }) => (inflight === 0 ? <span className="quiet">0</span> : count(inflight)),
    sort: ({ inflight }) => inflight,
  },
  {
    key: 'origins',
    head: 'Source',
    width: 'minmax(9rem, 2fr)',
    cell: ({ origins }) => <span className="quiet">{origins.join(', ')}</span>,
  },
]

/** What a phone has room for. */
const narrow = ['name', 'letters', 'arrived']

/** The dead-letter queues: how many messages each holds, and how many arrived lately. */
export const LetterQueues = () => {
  const { rows, data, error, refetch } = useLetterQueues()
  const { setQueue } = useScope()
  const { search, setSearch } = usePageSearch()
  const { sort = 'letters', order = 'descending' } = search
  const isNarrow = useNarrow()
  const columns = isNarrow ? wide.filter(({ key }) => narrow.includes(key)) : wide
  const sorting = { key: sort, descending: order === 'descending' }
  const all = (rows ?? []).reduce((sum, { letters }) => sum + letters, 0)
  const arrived = rows?.reduce<number | undefined>(
    (sum, each) => (sum === undefined || each.arrived === undefined ? undefined : sum + each.arrived),
    0,
  )
  return (
    <div className="page">
      <div className="page-head">
        <h1>Dead letters</h1>
      </div>
      {rows !== undefined && rows.length > 0 && (
        <Figures>
          <Figure
            label={`In ${count(rows.length)} dead-letter ${rows.length === 1 ? 'queue' : 'queues'}`}
            help="Messages in dead-letter queues"
            isBad={all > 0}
            isZero={all === 0}
          >
            {count(all)}
          </Figure>
          <Figure
            label="Last hour"
            help="Messages that arrived in them in the last hour"
            isZero={arrived === 0}
          >
            {arrived === undefined ? '–' : arrived === 0 ? '0' : `+${count(arrived)}`}
          </Figure>
        </Figures>
      )}
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      <MissingNotes missing={data?.missing} />
      {rows?.length === 0 && (
        <Empty title="No queue has a dead-letter queue">
          Messages that run out of retries are discarded.{' '}
          <code>kiroku queue update mail --dead-letter mail-dlq</code> keeps them.
        </Empty>
      )}
      {rows !== undefined && rows.length > 0 && (
        <DataTable
          label="Dead-letter queues"
          rows={sorted(rows, columns, sorting)}
          columns={columns}
          rowKey={({ name }) => name}
          onOpen={({ name }) => setQueue(name)}
          sorting={sorting}
          onSort={({ key, descending }) =>
            setSearch({ sort: key, order: descending ? 'descending' : 'ascending' }, { replace: true })
          }
        />
      )}
      {rows !== undefined && <TopErrors queues={rows.filter(({ letters }) => letters > 0)} />}
    </div>
  )
}
