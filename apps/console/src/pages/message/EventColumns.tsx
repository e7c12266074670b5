import type { Trace } from '@kiroku/audit'
import { useMemo } from 'react'
import { usePageSearch } from '../../data/pageSearch.ts'
import { count } from '../../parts/format.ts'
import { changesOf } from './changesOf.ts'
import { EventFacts, EventList } from './EventList.tsx'
import { MachinePath } from './MachinePath.tsx'
import styles from './MessagePage.module.css'

/** The events of a message, and what the chosen one says. */
export const EventColumns = ({
  steps,
  happened,
  selected,
  onSelect,
}: {
  readonly steps: Trace['steps']
  /** How many had happened at the chosen moment. */
  readonly happened: number
  readonly selected: number
  readonly onSelect: (event: number) => void
}) => {
  const { search, setSearch } = usePageSearch()
  const changes = useMemo(() => changesOf(steps), [steps])
  const step = steps[selected]
  const isFull = search['view'] === 'full'
  return (
    <div className={styles['columns']}>
      <section className={styles['column']} aria-labelledby="events">
        <header className="row">
          <h2 id="events">Events</h2>
          <span className="quiet">
            {count(selected + 1)} of {count(steps.length)} <kbd>h</kbd> <kbd>l</kbd>
          </span>
          <button
            type="button"
            className={`button small ${styles['end']}`}
            aria-pressed={isFull}
            onClick={() => setSearch({ view: isFull ? undefined : 'full' }, { replace: true })}
          >
            {isFull ? 'Compact' : 'Full'}
          </button>
        </header>
        <EventList
          steps={steps}
          changes={changes}
          happened={happened}
          selected={selected}
          isFull={isFull}
          onSelect={onSelect}
        />
      </section>
      <aside className={styles['column']} aria-label="The chosen event">
        <MachinePath steps={steps} selected={selected} />
        {step !== undefined && (
          <>
            <h2>
              {selected + 1}. {step.event}
            </h2>
            <EventFacts step={step} changes={changes[selected]!} />
          </>
        )}
      </aside>
    </div>
  )
}
