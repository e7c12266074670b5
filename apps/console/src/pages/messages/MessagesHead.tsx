import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMoment, useScope } from '../../data/moment.ts'
import { useRefusal } from '../../data/refusal.ts'
import { CopyButton } from '../../parts/CopyButton.tsx'
import { count } from '../../parts/format.ts'
import { saveFile } from '../../parts/saveFile.ts'
import { ndjsonOf } from './FoundMessage.ts'
import { MatchingDialog } from './MatchingDialog.tsx'
import { momentCommand, searchCommand, withQueue } from './searchText.ts'
import { foundMax, type FoundMessages } from './useFoundMessages.ts'

/** How many messages were found, and what can be done with all of them. */
export const MessagesHead = ({
  filter,
  found,
  isKnown,
  withPayloads,
}: {
  readonly filter: string
  readonly found: FoundMessages
  /** Whether the filter can be answered for the chosen moment. */
  readonly isKnown: boolean
  readonly withPayloads: boolean
}) => {
  const { at } = useMoment()
  const { queue } = useScope()
  const navigate = useNavigate()
  const refusal = useRefusal()
  const [isDiscarding, setDiscarding] = useState(false)
  const { rows, isLoading, hasMore } = found
  return (
    <>
      <div className="page-head">
        <h1>Messages</h1>
        <span className="quiet">
          {found.total === undefined ? count(rows.length) : `${count(rows.length)} of ${count(found.total)}`}
          {hasMore && found.total === undefined
            ? isLoading
              ? ' so far, still searching'
              : ' so far, more as you scroll'
            : ''}
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
      {isDiscarding && (
        <MatchingDialog where={withQueue(filter, queue)} onClose={() => setDiscarding(false)} />
      )}
    </>
  )
}
