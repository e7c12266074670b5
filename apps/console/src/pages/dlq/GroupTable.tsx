import { DataTable, sorted, type Column } from '../../parts/DataTable.tsx'
import { usePageSearch } from '../../data/pageSearch.ts'
import { count } from '../../parts/format.ts'
import { useNarrow } from '../../parts/useNarrow.ts'
import { When } from '../../parts/When.tsx'
import { causeWords } from './causes.ts'
import type { LetterGroup } from './useLetters.ts'
import styles from './Dlq.module.css'

const some = (n: number) => (n === 0 ? <span className="quiet">0</span> : count(n))

const columns: Readonly<Record<string, Column<LetterGroup>>> = {
  count: {
    key: 'count',
    head: 'Messages',
    width: '5rem',
    isNumber: true,
    cell: (group) => count(group.count),
    sort: (group) => group.count,
  },
  error: {
    key: 'error',
    head: 'Error',
    width: 'minmax(7.5rem, 2.4fr)',
    cell: ({ form, error, cause }) => (
      <span title={error}>{form === '' ? <span className="quiet">{causeWords(cause)}</span> : form}</span>
    ),
    sort: ({ form }) => form,
  },
  cause: {
    key: 'cause',
    head: 'Why',
    width: 'minmax(9rem, 1fr)',
    cell: ({ cause }) => <span className="quiet">{causeWords(cause)}</span>,
    sort: ({ cause }) => cause,
  },
  cameBack: {
    key: 'cameBack',
    head: 'Came back',
    width: '6rem',
    isNumber: true,
    cell: ({ cameBack }) =>
      cameBack === 0 ? some(0) : <strong className={styles['back-count']}>{count(cameBack)}</strong>,
    sort: ({ cameBack }) => cameBack,
  },
  inflight: {
    key: 'inflight',
    head: 'In flight',
    width: '5rem',
    isNumber: true,
    cell: ({ inflight }) => some(inflight),
    sort: ({ inflight }) => inflight,
  },
  origins: {
    key: 'origins',
    head: 'From',
    width: 'minmax(8rem, 1fr)',
    cell: ({ origins }) => (
      <span className="quiet">
        {origins.map((origin) => `${origin.queue} ${count(origin.count)}`).join(', ')}
      </span>
    ),
  },
  first: {
    key: 'first',
    head: 'First',
    width: '7.5rem',
    cell: ({ firstAt }) => <When at={firstAt} />,
    sort: ({ firstAt }) => firstAt,
  },
  last: {
    key: 'last',
    head: 'Last',
    width: '7.5rem',
    cell: ({ lastAt }) => <When at={lastAt} />,
    sort: ({ lastAt }) => lastAt,
  },
}

const wide = ['count', 'error', 'cause', 'cameBack', 'inflight', 'origins', 'first', 'last']
const beside = ['count', 'error', 'cameBack', 'last']
const narrowWidths: Readonly<Record<string, string>> = {
  count: '4.75rem',
  error: 'minmax(6rem, 1fr)',
  last: '5.5rem',
}
const narrow = Object.keys(narrowWidths)

/** The messages in a queue by cause and kind of error, largest group first. */
export const GroupTable = ({
  groups,
  isOpen,
  onOpen,
}: {
  readonly groups: readonly LetterGroup[]
  readonly isOpen: boolean
  readonly onOpen: (group: LetterGroup) => void
}) => {
  const { search, setSearch } = usePageSearch()
  const { by = 'count', order = 'descending' } = search
  const isNarrow = useNarrow()
  const shown = (isNarrow ? narrow : isOpen ? beside : wide).map((key) => ({
    ...columns[key]!,
    ...(isNarrow ? { width: narrowWidths[key]! } : {}),
  }))
  const sorting = { key: by, descending: order === 'descending' }
  return (
    <DataTable
      label="Groups of dead letters"
      rows={sorted(groups, Object.values(columns), sorting)}
      columns={shown}
      rowKey={({ group }) => group}
      onOpen={onOpen}
      sorting={sorting}
      onSort={({ key, descending }) =>
        setSearch({ by: key, order: descending ? 'descending' : 'ascending' }, { replace: true })
      }
    />
  )
}
