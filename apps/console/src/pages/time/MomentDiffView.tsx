import type { DiffMessage, MomentDiff } from '@kiroku/audit'
import { Link } from '@tanstack/react-router'
import { DataTable, type Column } from '../../parts/DataTable.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { count } from '../../parts/format.ts'
import { useNarrow } from '../../parts/useNarrow.ts'
import { StateMark } from '../../parts/StateMark.tsx'
import { countNames } from './countNames.ts'
import styles from './TimePage.module.css'

const columns: readonly Column<DiffMessage>[] = [
  {
    key: 'id',
    head: 'Message',
    width: 'minmax(9.5rem, 1fr)',
    cell: ({ messageId }) => (
      <Link to="/messages/$id" params={{ id: messageId }} search={((before: object) => before) as never}>
        <code>{messageId}</code>
      </Link>
    ),
  },
  {
    key: 'subscription',
    head: 'Subscription',
    width: '6rem',
    cell: ({ subscription }) => subscription ?? '',
  },
  {
    key: 'before',
    head: 'At A',
    width: '8rem',
    cell: ({ before }) => (before === undefined ? '' : <StateMark state={before.state} />),
  },
  {
    key: 'after',
    head: 'At B',
    width: '8rem',
    cell: ({ after }) => (after === undefined ? '' : <StateMark state={after.state} />),
  },
  {
    key: 'attempts',
    head: 'Attempts',
    width: '4.5rem',
    isNumber: true,
    cell: ({ before, after }) =>
      before === undefined || after === undefined || before.attempt === after.attempt
        ? (after ?? before)!.attempt
        : `${before.attempt} → ${after.attempt}`,
  },
]

const kinds = [
  { key: 'appeared', title: 'New since A', narrow: ['id', 'after'] },
  { key: 'changed', title: 'Changed state', narrow: ['id', 'before', 'after'] },
  { key: 'left', title: 'Finished since A', narrow: ['id', 'before'] },
] as const

/** What a phone has room for. */
const narrowColumns = (keys: readonly string[]): readonly Column<DiffMessage>[] =>
  columns
    .filter(({ key }) => keys.includes(key))
    .map((column) => ({ ...column, width: column.key === 'id' ? 'minmax(6rem, 1fr)' : '6.25rem' }))

const signed = (n: number): string => (n > 0 ? `+${count(n)}` : n < 0 ? `−${count(-n)}` : '')

/** What lies between two moments of a queue: counts, settings, messages. */
export const MomentDiffView = ({ diff }: { readonly diff: MomentDiff }) => {
  const isNarrow = useNarrow()
  const hasMessages = kinds.some(({ key }) => diff[key].total > 0)
  const hasCounts = countNames.some(({ key }) => diff.counts[key].a !== diff.counts[key].b)
  if (!hasMessages && !hasCounts && diff.config.length === 0)
    return (
      <Empty title="Nothing changed between A and B">
        Counts, settings and messages are the same at both. Move A or B further apart.
      </Empty>
    )
  return (
    <div className={styles['diff']}>
      <table className={styles['counts']}>
        <caption className="visually-hidden">Counts at A and at B</caption>
        <thead>
          <tr>
            <th scope="col">Count</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {countNames.map(({ key, name, state }) => {
            const { a, b } = diff.counts[key]
            return (
              <tr key={key} data-changed={a !== b}>
                <th scope="row">{state === undefined ? name : <StateMark state={state} />}</th>
                <td>{count(a)}</td>
                <td>{count(b)}</td>
                <td>{signed(b - a)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <div className={styles['changes']}>
        {diff.config.length > 0 && (
          <section>
            <h3>Settings</h3>
            <ul>
              {diff.config.map(({ setting, a, b }) => (
                <li key={setting}>
                  {setting}: <code>{JSON.stringify(a)}</code> → <code>{JSON.stringify(b)}</code>
                </li>
              ))}
            </ul>
          </section>
        )}
        {!hasMessages && (
          <p className="quiet">
            The messages that were not final are the same at both: what arrived in between was finished by B,
            and is only in the counts.
          </p>
        )}
        {kinds.map(({ key, title, narrow }) => {
          const { total, messages } = diff[key]
          return (
            <section key={key}>
              <h3>
                {title}: {count(total)}
              </h3>
              {messages.length > 0 && (
                <DataTable
                  label={title}
                  rows={messages}
                  columns={isNarrow ? narrowColumns(narrow) : columns}
                  rowKey={({ messageId, subscription }) => `${messageId} ${subscription ?? ''}`}
                  height="18rem"
                />
              )}
              {total > messages.length && (
                <p className="quiet">
                  The first {count(messages.length)} of {count(total)}.
                </p>
              )}
            </section>
          )
        })}
      </div>
    </div>
  )
}
