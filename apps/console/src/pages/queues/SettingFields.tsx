import { queueSettings, type QueueConfig, type QueueSetting } from '@kiroku/protocol'
import { useQueueNames } from '../../data/useQueueNames.ts'
import styles from './SettingFields.module.css'
import type { SettingDraft } from './settingDraft.ts'
import { settingGroups } from './settingGroups.ts'

/** The settings changed most often. */
const common: readonly string[] = ['retriesMax', 'retry', 'deadLetter', 'leaseMs', 'indexBody', 'bodyHidden']

/** Fields for the settings of a draft: the most frequent ones, and the others behind a disclosure. */
export const SettingFields = ({
  draft,
  errors,
  onChange,
}: {
  readonly draft: SettingDraft
  readonly errors: Readonly<Record<string, string>>
  readonly onChange: (draft: SettingDraft) => void
}) => {
  const keys = settingGroups
    .flatMap(([, each]) => each)
    .filter((key) => key in draft && queueSettings[key].kind !== 'schema')
  const field = (key: keyof QueueConfig) => (
    <Field
      key={key}
      name={key}
      text={draft[key] ?? ''}
      error={errors[key]}
      onChange={(text) => onChange({ ...draft, [key]: text })}
    />
  )
  return (
    <>
      <div className={styles['fields']}>{keys.filter((key) => common.includes(key)).map(field)}</div>
      <details>
        <summary className={styles['more']}>All settings</summary>
        <div className={styles['fields']}>{keys.filter((key) => !common.includes(key)).map(field)}</div>
      </details>
    </>
  )
}

const Field = ({
  name,
  text,
  error,
  onChange,
}: {
  readonly name: keyof QueueConfig
  readonly text: string
  readonly error: string | undefined
  readonly onChange: (text: string) => void
}) => {
  const row: QueueSetting = queueSettings[name]
  const id = `setting-${name}`
  const shared = {
    id,
    className: 'field',
    value: text,
    'aria-describedby': `${id}-says`,
    'aria-invalid': error !== undefined,
  }
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{row.title}</label>
      {row.kind === 'choice' ? (
        <select {...shared} onChange={(event) => onChange(event.target.value)}>
          {row.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : row.kind === 'queue' ? (
        <QueueSelect {...shared} onChange={onChange} />
      ) : (
        <input
          {...shared}
          autoComplete="off"
          inputMode={row.kind === 'count' && row.orUnlimited !== true ? 'numeric' : 'text'}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      <p id={`${id}-says`} className={error === undefined ? styles['says'] : styles['error']}>
        {error ?? row.says}
      </p>
    </div>
  )
}

const QueueSelect = ({
  onChange,
  ...shared
}: {
  readonly id: string
  readonly value: string
  readonly className: string
  readonly onChange: (name: string) => void
}) => {
  const names = new Set(useQueueNames())
  if (shared.value !== '') names.add(shared.value)
  return (
    <select {...shared} onChange={(event) => onChange(event.target.value)}>
      <option value="">none (discard)</option>
      {[...names].sort().map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
}
