import { zoneName } from '../../parts/zone.ts'
import { startOf, type Start } from './start.ts'
import styles from './SettingFields.module.css'

const kinds: readonly (readonly [kind: Start['kind'], word: string])[] = [
  ['latest', 'What is sent from now on'],
  ['earliest', 'All that is on record'],
  ['time', 'What was sent since a time'],
  ['number', 'From a message’s number on'],
]

/** Chooses where a subscription begins. */
export const StartFields = ({
  start,
  onChange,
}: {
  readonly start: Start
  readonly onChange: (start: Start) => void
}) => (
  <div className={styles['fields']}>
    <div className={styles['field']}>
      <label htmlFor="start-kind">it gets</label>
      <select
        id="start-kind"
        className="field"
        value={start.kind}
        onChange={(event) => onChange({ kind: event.target.value as Start['kind'], text: '' })}
      >
        {kinds.map(([kind, word]) => (
          <option key={kind} value={kind}>
            {word}
          </option>
        ))}
      </select>
    </div>
    {(start.kind === 'time' || start.kind === 'number') && (
      <div className={styles['field']}>
        <label htmlFor="start-text">{start.kind === 'time' ? `since (${zoneName()})` : 'number'}</label>
        <input
          id="start-text"
          className="field"
          value={start.text}
          autoComplete="off"
          aria-invalid={startOf(start) === undefined}
          placeholder={start.kind === 'time' ? '2026-11-21 14:00' : '1207'}
          onChange={(event) => onChange({ ...start, text: event.target.value })}
        />
      </div>
    )}
  </div>
)
