import type { History } from '@kiroku/audit'
import { isReplyQueue } from '@kiroku/protocol'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { DataTable, sorted, type Sorting } from '../../parts/DataTable.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { count } from '../../parts/format.ts'
import { useNarrow } from '../../parts/useNarrow.ts'
import { momentText } from '../../time/timeWindow.ts'
import { changeColumns } from './changeColumns.tsx'
import { queueChanges } from './queueChanges.ts'

/** The queues in which something changed; each leads to a comparison that ends at `to`, or now. */
export const ChangedQueues = ({
  history,
  to,
  lookLonger,
}: {
  readonly history: History
  readonly to: number | undefined
  /** Shows a longer span; absent: there is none. */
  readonly lookLonger?: () => void
}) => {
  const { from, now, queues = [], queuesTotal } = history
  const isNarrow = useNarrow()
  const navigate = useNavigate()
  const [sorting, setSorting] = useState<Sorting>()
  const columns = useMemo(() => changeColumns(history, isNarrow), [history, isNarrow])
  const { own, replies } = useMemo(() => {
    const all = queueChanges(history)
    const listed = all.filter(({ queue }) => !isReplyQueue(queue))
    return { own: listed, replies: all.length - listed.length }
  }, [history])
  const rows = useMemo(() => sorted(own, columns, sorting), [own, columns, sorting])
  const compare = (queue: string): void =>
    void navigate({
      to: '.',
      search: ((before: object) => ({
        ...{ ...before, queue },
        // What is counted begins with a whole bucket.
        ...{ a: momentText(from), b: momentText(to ?? now) },
      })) as never,
    })
  return (
    <>
      {rows.length > 0 ? (
        <DataTable
          label="What changed by queue"
          rows={rows}
          columns={columns}
          rowKey={({ queue }) => queue}
          onOpen={({ queue }) => compare(queue)}
          {...(sorting === undefined ? {} : { sorting })}
          onSort={setSorting}
          height="26rem"
        />
      ) : (
        <Empty title="Nothing changed">
          <p>No message moved, and no queue changed.</p>
          {lookLonger !== undefined && (
            <button type="button" className="button" onClick={lookLonger}>
              Look at 24 hours
            </button>
          )}
        </Empty>
      )}
      {queuesTotal !== undefined && queuesTotal > queues.length && (
        <p className="quiet">
          The {count(queues.length)} busiest of {count(queuesTotal)} queues where something happened.
        </p>
      )}
      {replies > 0 && (
        <p className="quiet">Reply queues are counted, but not listed: {count(replies)} changed.</p>
      )}
    </>
  )
}
