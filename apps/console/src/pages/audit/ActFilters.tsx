import type { Act } from '@kiroku/audit'
import { useMemo } from 'react'
import { usePageSearch } from '../../data/pageSearch.ts'
import { count } from '../../parts/format.ts'
import { actsOf, choicesOf } from './actLists.ts'
import { actWords } from '@kiroku/audit/event-words'
import styles from './AuditPage.module.css'

const spans: readonly (readonly [value: string, text: string])[] = [
  ['1h', 'The last hour'],
  ['24h', 'The last day'],
  ['7d', 'The last 7 days'],
]

/** Which acts: by whom, of what kind, since when. The queue is chosen for the whole console. */
export const ActFilters = ({ acts }: { readonly acts: readonly Act[] }) => {
  const { search, setSearch } = usePageSearch()
  const { actor, kind, since } = search
  const actors = useMemo(() => choicesOf(actsOf(acts, { kind }), ({ by }) => by.name), [acts, kind])
  const kinds = useMemo(() => choicesOf(actsOf(acts, { actor }), ({ event }) => event), [acts, actor])
  return (
    <div className={styles['filters']} role="group" aria-label="Which acts">
      <Choice
        label="Who"
        all="Everybody"
        value={actor}
        choices={actors.map(([name, n]) => [name, `${name} (${count(n)})`])}
        onChange={(next) => setSearch({ actor: next })}
      />
      <Choice
        label="What"
        all="Everything"
        value={kind}
        choices={kinds.map(([event, n]) => [event, `${actWords(event)} (${count(n)})`])}
        onChange={(next) => setSearch({ kind: next })}
      />
      <Choice
        label="Since"
        all="As far as the record goes"
        value={since}
        choices={spans}
        onChange={(next) => setSearch({ since: next })}
      />
    </div>
  )
}

const Choice = ({
  label,
  all,
  value,
  choices,
  onChange,
}: {
  readonly label: string
  readonly all: string
  readonly value: string | undefined
  readonly choices: readonly (readonly [value: string, text: string])[]
  readonly onChange: (value: string | undefined) => void
}) => (
  <label className={styles['filter']}>
    {label}
    <select
      className="field"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    >
      <option value="">{all}</option>
      {value !== undefined && !choices.some(([each]) => each === value) && (
        <option value={value}>{value}</option>
      )}
      {choices.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  </label>
)
