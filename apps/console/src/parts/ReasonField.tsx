import styles from './CommandDialog.module.css'

/** Why something is done, for the record; it may be left empty. */
export const ReasonField = ({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (reason: string) => void
}) => (
  <label className={styles['label']}>
    Reason (recorded in the audit log)
    <input
      className="field"
      value={value}
      maxLength={500}
      placeholder="Optional"
      onChange={(event) => onChange(event.target.value)}
    />
  </label>
)
