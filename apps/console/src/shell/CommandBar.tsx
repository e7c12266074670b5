import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState, type KeyboardEvent } from 'react'
import { useScope } from '../data/moment.ts'
import { useQueueNames } from '../data/useQueueNames.ts'
import { Dialog } from '../parts/Dialog.tsx'
import type { PageLink } from './pages.ts'
import styles from './CommandBar.module.css'

/** A destination or a command. */
interface Entry {
  readonly text: string
  readonly kind: string
  readonly run: () => void
}

/** A command; `refusal` says why it is not possible here. */
interface Action {
  readonly text: string
  readonly run: () => void
  readonly refusal?: string
}

/** How many entries are offered at once. */
const offeredMax = 12

/** Ctrl-K: go anywhere by typing a few letters. What looks like an id or a filter is offered as such. */
export const CommandBar = ({
  onClose,
  pages,
  actions,
}: {
  readonly onClose: () => void
  readonly pages: readonly PageLink[]
  readonly actions: readonly Action[]
}) => {
  const navigate = useNavigate()
  const { setQueue } = useScope()
  const [text, setText] = useState('')
  const [current, setCurrent] = useState(0)
  const names = useQueueNames()
  const entries = useMemo(() => {
    const keep = { search: ((before: object) => before) as never }
    const wanted = text.trim()
    const all: Entry[] = [
      ...pages.map(({ to, name }) => ({
        text: name,
        kind: 'page',
        run: () => void navigate({ to, ...keep }),
      })),
      ...actions.map(({ text, run, refusal }) => ({ text, run, kind: refusal ?? 'action' })),
      { text: 'All queues', kind: 'queue', run: () => setQueue(undefined) },
      ...names.map((name) => ({ text: name, kind: 'queue', run: () => setQueue(name) })),
    ]
    const lower = wanted.toLowerCase()
    const found = all.filter((entry) => entry.text.toLowerCase().includes(lower)).slice(0, offeredMax)
    if (/^[0-9a-f]{8}(-[0-9a-z]+){3}$/i.test(wanted))
      found.unshift({
        text: `Open message ${wanted}`,
        kind: 'message',
        run: () => void navigate({ to: '/messages/$id', params: { id: wanted }, ...keep } as never),
      })
    if (wanted !== '')
      found.push({
        text: `Search messages for ${wanted}`,
        kind: 'search',
        run: () =>
          void navigate({
            to: '/messages',
            search: ((before: object) => ({ ...before, q: wanted })) as never,
          }),
      })
    return found
  }, [text, names, pages, actions, navigate, setQueue])
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by !== 0) {
      event.preventDefault()
      setCurrent((now) => (now + by + entries.length) % Math.max(1, entries.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const entry = entries[current]
      if (entry === undefined) return
      onClose()
      entry.run()
    }
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div>
        <input
          className={`field ${styles['input']}`}
          role="combobox"
          aria-label="Page, queue, message id or filter"
          aria-expanded="true"
          aria-controls="command-entries"
          aria-activedescendant={`command-${current}`}
          value={text}
          placeholder="Page, queue, message id, or a filter like state:dlq"
          onChange={(event) => {
            setText(event.target.value)
            setCurrent(0)
          }}
          onKeyDown={onKeyDown}
        />
        <ul id="command-entries" role="listbox" aria-label="Matches" className={styles['entries']}>
          {entries.map((entry, i) => (
            <li
              key={`${entry.kind} ${entry.text}`}
              id={`command-${i}`}
              role="option"
              aria-selected={i === current}
              onMouseMove={() => setCurrent(i)}
              onClick={() => {
                onClose()
                entry.run()
              }}
            >
              <span>{entry.text}</span>
              <span className="quiet">{entry.kind}</span>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}
