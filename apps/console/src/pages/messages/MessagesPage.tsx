import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useMoment, useScope } from '../../data/moment.ts'
import { useAskedMoment } from '../../data/played.ts'
import { useQueueNames } from '../../data/useQueueNames.ts'
import { FilterInput } from '../../parts/FilterInput.tsx'
import { Problem } from '../../parts/Problem.tsx'
import type { StateName } from '../../parts/StateMark.tsx'
import { useKeys } from '../../shell/useKeys.ts'
import { FoundTable } from './FoundTable.tsx'
import { IndexNote } from './IndexNote.tsx'
import { MessagesHead } from './MessagesHead.tsx'
import { NothingFound } from './NothingFound.tsx'
import { momentQuestion, searchQuestion } from './questions.ts'
import { isKnownThen, statesOf, withState } from './searchText.ts'
import { StateChips } from './StateChips.tsx'
import { useFoundMessages } from './useFoundMessages.ts'
import styles from './MessagesPage.module.css'

/** States of live messages: those known at a moment of the past. */
const liveStates: readonly StateName[] = ['Held', 'Delayed', 'Available', 'Inflight', 'WaitingRetry']

/** Finds messages by what happened to them; at a moment of the past, those that were live in a queue. */
export const MessagesPage = () => {
  const { q: filter = '', payloads } = useSearch({ strict: false }) as {
    readonly q?: string
    readonly payloads?: string
  }
  const withPayloads = payloads === 'on'
  const { at } = useMoment()
  const asked = useAskedMoment()
  const { queue } = useScope()
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  // What is not known of the past is not requested: the input says so.
  const isKnown = at === undefined || isKnownThen(filter)
  const found = useFoundMessages(
    asked === undefined
      ? searchQuestion(filter, queue)
      : momentQuestion(filter, isKnown ? queue : undefined, asked),
  )
  const queues = useQueueNames()
  const { reached, error } = found
  const setFilter = (next: string): void =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, q: next })) as never })
  useKeys({ '/': () => input.current?.focus(), r: found.again })
  useEffect(() => {
    // After `/` the reader wants to type at once.
    if ((history.state as { isSearching?: boolean } | null)?.isSearching === true) input.current?.focus()
  }, [])
  return (
    <div className="page">
      <MessagesHead filter={filter} found={found} isKnown={isKnown} withPayloads={withPayloads} />
      <FilterInput
        filter={filter}
        queues={queues}
        onFilter={setFilter}
        inputRef={input}
        isPast={at !== undefined}
      />
      <StateChips
        states={statesOf(filter)}
        {...(at === undefined ? {} : { offered: liveStates })}
        onToggle={(state) => setFilter(withState(filter, state))}
      />
      {error !== undefined && <Problem error={error} retry={found.again} />}
      {(at !== undefined && queue === undefined) ||
      !isKnown ||
      (found.rows.length === 0 && !found.isLoading && error === undefined) ? (
        <NothingFound filter={filter} queues={queues} isKnown={isKnown} onFilter={setFilter} />
      ) : (
        <FoundTable found={found} withPayloads={withPayloads} />
      )}
      <p className={styles['note']}>
        {reached !== undefined && <IndexNote reached={reached} />}{' '}
        {found.bodiesNotIndexed !== undefined && found.bodiesNotIndexed.length > 0 && (
          <span>
            Bodies are not indexed in {found.bodiesNotIndexed.join(', ')}:{' '}
            <code>kiroku queue update QUEUE --index-body on</code>
          </span>
        )}
      </p>
    </div>
  )
}
