import styles from './Segments.module.css'

/** A choice of a few, all in sight. */
export const Segments = <K extends string>({
  label,
  options,
  value,
  onChange,
}: {
  readonly label: string
  readonly options: readonly { readonly key: K; readonly name: string }[]
  readonly value: K
  readonly onChange: (key: K) => void
}) => (
  <div role="group" aria-label={label} className={styles['segments']}>
    {options.map(({ key, name }) => (
      <button key={key} type="button" aria-pressed={key === value} onClick={() => onChange(key)}>
        {name}
      </button>
    ))}
  </div>
)
