import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMoment } from '../../data/moment.ts'
import { DataTable } from '../../parts/DataTable.tsx'
import { useNarrow } from '../../parts/useNarrow.ts'
import { foundColumns, momentColumns } from './columns.tsx'
import { foundKey } from './FoundMessage.ts'
import type { FoundMessages } from './useFoundMessages.ts'

/** The messages that were found, more of them as one scrolls; each leads to its page. */
export const FoundTable = ({
  found,
  withPayloads,
}: {
  readonly found: FoundMessages
  readonly withPayloads: boolean
}) => {
  const { at } = useMoment()
  const navigate = useNavigate()
  const { rows, isLoading, hasMore, reached } = found
  const isNarrow = useNarrow()
  const columns = useMemo(
    () => (at === undefined ? foundColumns(Date.now(), isNarrow, withPayloads) : momentColumns(isNarrow)),
    // Ages are as of the answer: nothing changes in a list that is not refreshed.
    [at, reached, isNarrow, withPayloads],
  )
  return (
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
  )
}
