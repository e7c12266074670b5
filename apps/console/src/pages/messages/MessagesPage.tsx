import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { get } from '../../data/api.ts'
import { useMoment, useScope } from '../../data/moment.ts'
import { useAskedMoment } from '../../data/played.ts'
import { useRefusal } from '../../data/refusal.ts'
import { CopyButton } from '../../parts/CopyButton.tsx'
import { DataTable } from '../../parts/DataTable.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { FilterInput } from '../../parts/FilterInput.tsx'
import { count } from '../../parts/format.ts'
import { SendButton } from '../../send/Sending.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { saveFile } from '../../parts/saveFile.ts'
import type { StateName } from '../../parts/StateMark.tsx'
import { useNarrow } from '../../parts/useNarrow.ts'
import { useKeys } from '../../shell/useKeys.ts'
import { foundColumns, momentColumns } from './columns.tsx'
import { foundKey, ndjsonOf } from './FoundMessage.ts'
import { MatchingDialog } from './MatchingDialog.tsx'
import { IndexNote } from './IndexNote.tsx'
import { momentQuestion, searchQuestion } from './questions.ts'
import {
  isKnownThen,
  knownThen,
  momentCommand,
  searchCommand,
  statesOf,
  withQueue,
  withState,
} from './searchText.ts'
import { StateChips } from './StateChips.tsx'
import { foundMax, useFoundMessages } from './useFoundMessages.ts'
import styles from './MessagesPage.module.css'

/** States that a message has while it is live: those that a moment of the past tells of. */
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
  const { queue, setQueue } = useScope()
  const navigate = useNavigate()
  const refusal = useRefusal()
  const [isDiscarding, setDiscarding] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  // What the past does not know is not asked: the input says so.
  const isKnown = at === undefined || isKnownThen(filter)
  const found = useFoundMessages(
    asked === undefined
      ? searchQuestion(filter, queue)
      : momentQuestion(filter, isKnown ? queue : undefined, asked),
  )
  const { data: names } = useQuery({
    queryKey: ['queue names'],
    queryFn: ({ signal }) =>
      get<{ queues: readonly { readonly name: string }[] }>('/v1/queues', undefined, signal),
  })
  const queues = useMemo(() => names?.queues.map(({ name }) => name) ?? [], [names])
  const { rows, isLoading, hasMore, reached, error } = found
  const isNarrow = useNarrow()
  const columns = useMemo(
    () => (at === undefined ? foundColumns(Date.now(), isNarrow, withPayloads) : momentColumns(isNarrow)),
    // Ages are those of the answer: nothing changes in a list that stands.
    [at, reached, isNarrow, withPayloads],
  )
  const setFilter = (next: string): void =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, q: next })) as never })
  useKeys({ '/': () => input.current?.focus(), r: found.again })
  useEffect(() => {
    // Who came here by `/` wants to write at once.
    if ((history.state as { isSearching?: boolean } | null)?.isSearching === true) input.current?.focus()
  }, [])
  return (
    <div className="page">
      <div className="page-head">
        <h1>Messages</h1>
        <span className="quiet">
          {found.total === undefined ? count(rows.length) : `${count(rows.length)} of ${count(found.total)}`}
          {hasMore && found.total === undefined ? ' so far, more as you scroll' : ''}
          {rows.length >= foundMax ? '; narrow the filter to see more' : ''}
        </span>
        <div className="row end">
          <button type="button" className="button small" onClick={found.again} disabled={isLoading}>
            {isLoading ? 'Loading…' : 'Refresh'}
          </button>
          {at === undefined && (
            <button
              type="button"
              className="button small"
              aria-pressed={withPayloads}
              onClick={() =>
                void navigate({
                  to: '.',
                  search: ((before: object) => ({
                    ...before,
                    payloads: withPayloads ? undefined : 'on',
                  })) as never,
                })
              }
            >
              {withPayloads ? 'Hide payloads' : 'Show payloads'}
            </button>
          )}
          {at === undefined ? (
            <CopyButton text={searchCommand(withQueue(filter, queue))}>Copy command</CopyButton>
          ) : (
            queue !== undefined &&
            isKnown && <CopyButton text={momentCommand(filter, queue, at)}>Copy command</CopyButton>
          )}
          <button
            type="button"
            className="button small"
            disabled={rows.length === 0}
            onClick={() => saveFile('messages.ndjson', ndjsonOf(rows))}
          >
            Export {count(rows.length)}
          </button>
          {withQueue(filter, queue) !== '' && (
            <button
              type="button"
              className="button small danger"
              disabled={refusal !== undefined || rows.length === 0}
              title={refusal}
              onClick={() => setDiscarding(true)}
            >
              Discard…
            </button>
          )}
        </div>
      </div>
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
      {at !== undefined && queue === undefined ? (
        <Empty title="Pick a queue">
          <p>Messages at a past moment are shown per queue.</p>
          <div className={`row ${styles['choices']}`}>
            {queues.map((name) => (
              <button key={name} type="button" className="button small" onClick={() => setQueue(name)}>
                {name}
              </button>
            ))}
          </div>
        </Empty>
      ) : !isKnown ? (
        <Empty title="The past cannot answer this">
          <p>At a past moment the state of messages is known, but not their errors, bodies and attributes.</p>
          <div className={`row ${styles['choices']}`}>
            <button type="button" className="button" onClick={() => setFilter(knownThen(filter))}>
              Drop those conditions
            </button>
          </div>
        </Empty>
      ) : rows.length === 0 && !isLoading && error === undefined ? (
        <Empty title="No messages match">
          {at !== undefined
            ? 'At a past moment, only messages that were not final are shown. Remove a condition, or pick another moment.'
            : filter === '' && queue === undefined
              ? 'The index is empty. What was sent just now appears in a moment: refresh.'
              : 'Remove a condition, or search all queues. What happened just now appears in a moment.'}
          {at === undefined && filter === '' && (
            <div className={`row ${styles['choices']}`}>
              <SendButton draft={queue === undefined ? {} : { queue }}>Send a message</SendButton>
            </div>
          )}
        </Empty>
      ) : (
        <DataTable
          label="Messages"
          rows={rows}
          columns={columns}
          rowKey={foundKey}
          height="calc(100dvh - 15rem)"
          onOpen={({ messageId }) =>
            void navigate({
              to: '/messages/$id',
              params: { id: messageId },
              search: ((before: { at?: string; queue?: string }) => ({
                at: before.at,
                queue: before.queue,
              })) as never,
            })
          }
          {...(hasMore && !isLoading ? { more: found.more } : {})}
        />
      )}
      {isDiscarding && (
        <MatchingDialog where={withQueue(filter, queue)} onClose={() => setDiscarding(false)} />
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
