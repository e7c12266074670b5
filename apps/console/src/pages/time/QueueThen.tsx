import type { MomentMessage, QueueMoment } from '@kiroku/audit'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { get } from '../../data/api.ts'
import { DataTable, type Column } from '../../parts/DataTable.tsx'
import { count, duration } from '../../parts/format.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Reading } from '../../parts/Reading.tsx'
import { useNarrow } from '../../parts/useNarrow.ts'
import { StateMark } from '../../parts/StateMark.tsx'
import { usePlayback } from '../../replay/usePlayback.tsx'
import { countNames } from './countNames.ts'
import styles from './TimePage.module.css'

/** Messages requested at once. */
const pageMessages = 500

/** What is shown of a message; a phone has room for the first two. */
const columnsOf = (at: number): readonly Column<MomentMessage>[] => [
  {
    key: 'id',
    head: 'Message',
    width: 'minmax(12rem, 1fr)',
    cell: ({ messageId }) => <code>{messageId}</code>,
  },
  { key: 'state', head: 'State', width: '10rem', cell: ({ state }) => <StateMark state={state} /> },
  { key: 'attempt', head: 'Attempt', width: '5rem', isNumber: true, cell: ({ attempt }) => attempt },
  {
    key: 'age',
    head: 'Age',
    width: '8rem',
    isNumber: true,
    cell: ({ enqueuedAt }) => duration(Math.max(0, at - enqueuedAt)),
  },
  {
    key: 'next',
    head: 'Next',
    width: '12rem',
    cell: ({ leaseUntil, dueAt }) =>
      leaseUntil !== undefined
        ? `lease ends in ${duration(Math.max(0, leaseUntil - at))}`
        : dueAt !== undefined
          ? `due in ${duration(Math.max(0, dueAt - at))}`
          : '',
  },
]

/** A queue at the chosen moment. */
export const QueueThen = ({ queue, at }: { readonly queue: string; readonly at: string }) => {
  const navigate = useNavigate()
  const isNarrow = useNarrow()
  const { standing } = usePlayback()
  const moment = useInfiniteQuery({
    queryKey: ['state', queue, at],
    queryFn: ({ signal, pageParam }) =>
      get<QueueMoment>(
        `/v1/queues/${encodeURIComponent(queue)}/state`,
        { at, limit: pageMessages, after: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  })
  if (moment.error !== null) return <Problem error={moment.error} retry={() => void moment.refetch()} />
  const first = moment.data?.pages[0]
  if (first === undefined) return <Reading what={`how ${queue} stood at that moment`} />
  const shown = isNarrow ? columnsOf(first.at).slice(0, 2) : columnsOf(first.at)
  const parts = standing?.queues.filter((each) => each.queue === queue) ?? []
  return (
    <section className={styles['then']} aria-labelledby="then">
      <h2 id="then">{queue} at that moment</h2>
      <dl className={styles['numbers']}>
        {countNames.map(({ key, name, state }) => (
          <div key={key}>
            <dt>{state === undefined ? name : <StateMark state={state} />}</dt>
            <dd>
              {count(
                parts.length > 0
                  ? parts.reduce((sum, { counts }) => sum + counts[key], 0)
                  : first.counts[key],
              )}
            </dd>
          </div>
        ))}
      </dl>
      <h3>
        {count(first.messagesTotal)} {first.messagesTotal === 1 ? 'message was' : 'messages were'} not final
      </h3>
      {first.messagesTotal > 0 && (
        <DataTable
          label="Messages then"
          rows={moment.data!.pages.flatMap(({ messages }) => messages)}
          columns={shown}
          rowKey={({ messageId, subscription }) => `${messageId} ${subscription ?? ''}`}
          onOpen={({ messageId }) =>
            void navigate({
              to: '/messages/$id',
              params: { id: messageId },
              search: ((before: object) => before) as never,
            })
          }
          more={() => {
            if (moment.hasNextPage && !moment.isFetching) void moment.fetchNextPage()
          }}
          height="20rem"
        />
      )}
    </section>
  )
}
