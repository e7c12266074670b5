import { FilterError, filterFields, momentFields, parseFilter, parseMomentFilter } from '@kiroku/audit/filter'
import { useEffect, useRef, useState, type KeyboardEvent, type Ref } from 'react'
import { completionsAt } from './completions.ts'
import styles from './FilterInput.module.css'

const offeredMax = 24

const errorOf = (filter: string, isPast: boolean): FilterError | undefined => {
  try {
    ;(isPast ? parseMomentFilter : parseFilter)(filter, Date.now())
    return undefined
  } catch (error) {
    return error instanceof FilterError ? error : undefined
  }
}

/** Input for a filter: completes fields, states and queues, and points at the wrong character. */
export const FilterInput = ({
  filter,
  queues,
  onFilter,
  inputRef,
  isPast = false,
}: {
  readonly filter: string
  readonly queues: readonly string[]
  readonly onFilter: (filter: string) => void
  readonly inputRef: Ref<HTMLInputElement>
  /** Whether it is for a moment of the past, where fewer fields are known. */
  readonly isPast?: boolean
}) => {
  const own = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(filter)
  const [caret, setCaret] = useState(filter.length)
  const [isOpen, setOpen] = useState(false)
  const [current, setCurrent] = useState(-1)
  useEffect(() => setText(filter), [filter])
  const { from, entries: all } = completionsAt(text, caret, queues, isPast ? momentFields : filterFields)
  const entries = isOpen ? all.slice(0, offeredMax) : []
  const error = errorOf(text, isPast)
  const take = (entry: string): void => {
    const next = `${text.slice(0, from)}${entry}${text.slice(caret)}`
    const at = from + entry.length
    setText(next)
    setCaret(at)
    setCurrent(-1)
    requestAnimationFrame(() => own.current?.setSelectionRange(at, at))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const entry = entries[current] ?? (event.key === 'Tab' && entries.length === 1 ? entries[0] : undefined)
    if (by !== 0) {
      event.preventDefault()
      if (!isOpen) setOpen(true)
      else if (entries.length > 0) setCurrent((current + by + entries.length) % entries.length)
    } else if (entry !== undefined && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault()
      take(entry.text)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      setOpen(false)
      if (error === undefined) onFilter(text.trim())
    } else if (event.key === 'Escape') {
      event.preventDefault()
      if (entries.length > 0) setOpen(false)
      else own.current?.blur()
    }
  }
  const place = (): void => setCaret(own.current?.selectionStart ?? text.length)
  return (
    <div className={styles['filter']}>
      <input
        ref={(node) => {
          own.current = node
          if (typeof inputRef === 'function') inputRef(node)
          else if (inputRef !== null) inputRef.current = node
        }}
        className={`field ${styles['input']}`}
        role="combobox"
        aria-label="Filter"
        aria-expanded={entries.length > 0}
        aria-controls="filter-entries"
        aria-activedescendant={current >= 0 && current < entries.length ? `filter-${current}` : undefined}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : 'filter-error'}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={text}
        placeholder={
          isPast
            ? 'All messages that were not final. Try state:inflight, attempt:>3, group:customer-42'
            : 'All messages. Try state:dlq, error:"timed out", attempt:>3, since:1h'
        }
        onChange={(event) => {
          setText(event.target.value)
          setCaret(event.target.selectionStart ?? event.target.value.length)
          setOpen(true)
          setCurrent(-1)
        }}
        onSelect={place}
        onFocus={() => setOpen(true)}
        onBlur={() => {
          setOpen(false)
          if (error === undefined && text.trim() !== filter) onFilter(text.trim())
        }}
        onKeyDown={onKeyDown}
      />
      <ul
        id="filter-entries"
        role="listbox"
        aria-label="What can be written here"
        className={styles['entries']}
        hidden={entries.length === 0}
      >
        {entries.map((entry, i) => (
          <li
            key={entry.text}
            id={`filter-${i}`}
            role="option"
            aria-selected={i === current}
            onMouseDown={(event) => {
              event.preventDefault()
              take(entry.text)
            }}
          >
            <code>{entry.text}</code>
            <span className="quiet">{entry.says}</span>
          </li>
        ))}
      </ul>
      {error !== undefined && (
        <p id="filter-error" className={styles['error']}>
          <code>
            {text.slice(0, error.at)}
            <mark>{text.slice(error.at, error.at + 1).replace(/^$|\s/, '␣')}</mark>
            {text.slice(error.at + 1)}
          </code>
          <span>{error.message}</span>
        </p>
      )}
    </div>
  )
}
