import type { Column } from '../../parts/DataTable.tsx'
import { ago, duration, utcTime } from '../../parts/format.ts'
import { When } from '../../parts/When.tsx'
import { BodyPreview } from './BodyPreview.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import type { FoundMessage } from './FoundMessage.ts'

const why = ({ reason, error }: FoundMessage): string =>
  [reason, error].filter((text) => text !== '').join(': ')

const shared: readonly Column<FoundMessage>[] = [
  { key: 'state', head: 'State', width: '8rem', cell: ({ state }) => <StateMark state={state} /> },
  {
    key: 'id',
    head: 'Message',
    width: '10.5rem',
    cell: ({ messageId }) => <code>{messageId}</code>,
  },
  {
    key: 'queue',
    head: 'Queue',
    width: 'minmax(7rem, 1fr)',
    cell: ({ queue, subscription }) => (subscription === 'main' ? queue : `${queue} / ${subscription}`),
  },
  {
    key: 'attempt',
    head: 'Attempt',
    width: '4.5rem',
    isNumber: true,
    cell: ({ attempt }) => (attempt === 0 ? <span className="quiet">–</span> : attempt),
  },
]

/** What a phone has room for. */
const narrow = ['state', 'queue', 'at', 'sent']
const narrowWidths: Readonly<Record<string, string>> = { state: '7.5rem', queue: 'minmax(4rem, 1fr)' }
const only = (columns: readonly Column<FoundMessage>[], keys: readonly string[]) =>
  columns
    .filter(({ key }) => keys.includes(key))
    .map((column) => ({ ...column, width: narrowWidths[column.key] ?? '6rem' }))

/** The columns of messages found now. `now` is the reader's clock in ms. */
export const foundColumns = (
  now: number,
  isNarrow: boolean,
  withPayloads: boolean,
): readonly Column<FoundMessage>[] => {
  const all = allFound(now)
  if (isNarrow)
    return [...only(all, narrow.slice(0, withPayloads ? 2 : 3)), ...(withPayloads ? [payload] : [])]
  return withPayloads ? [...all.filter(({ key }) => key !== 'group'), payload] : all
}

const payload: Column<FoundMessage> = {
  key: 'payload',
  head: 'Payload',
  width: 'minmax(7rem, 3fr)',
  cell: ({ messageId }) => <BodyPreview id={messageId} />,
}

const allFound = (now: number): readonly Column<FoundMessage>[] => [
  ...shared,
  {
    key: 'at',
    head: 'Last change',
    width: '6.5rem',
    isNumber: true,
    cell: ({ at = 0 }) => <span title={utcTime(at)}>{ago(at, now)}</span>,
  },
  {
    key: 'sent',
    head: 'Duration',
    width: '5.5rem',
    isNumber: true,
    cell: ({ at = 0, sentAt }) =>
      at === sentAt ? (
        <span className="quiet">–</span>
      ) : (
        <span title={`Sent ${utcTime(sentAt)}`}>{duration(at - sentAt)}</span>
      ),
  },
  { key: 'why', head: 'Reason, last error', width: 'minmax(12rem, 2fr)', cell: why },
  { key: 'group', head: 'Group', width: 'minmax(5rem, 1fr)', cell: ({ group }) => group },
]

/** What is known of messages at a moment of the past. */
export const momentColumns = (isNarrow: boolean): readonly Column<FoundMessage>[] =>
  isNarrow ? only(allThen, narrow) : allThen

const allThen: readonly Column<FoundMessage>[] = [
  ...shared,
  {
    key: 'sent',
    head: 'Sent',
    width: '6.5rem',
    isNumber: true,
    cell: ({ sentAt }) => <When at={sentAt} />,
  },
  { key: 'group', head: 'Group', width: 'minmax(6rem, 1fr)', cell: ({ group }) => group },
]
