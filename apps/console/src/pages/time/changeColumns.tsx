import type { History, TallyField } from '@kiroku/audit'
import type { Column } from '../../parts/DataTable.tsx'
import { count, shortCount } from '../../parts/format.ts'
import { Sparkline } from '../../parts/Sparkline.tsx'
import { changesIn } from '../../time/Histogram.tsx'
import styles from './Lately.module.css'
import type { QueueChanges } from './queueChanges.ts'

const total = (field: TallyField, head: string, width: string, isBad = false): Column<QueueChanges> => ({
  key: field,
  head,
  width,
  isNumber: true,
  cell: ({ totals }) => <Count n={totals[field]} isBad={isBad} />,
  sort: ({ totals }) => totals[field],
})

const Count = ({ n, isBad = false }: { readonly n: number; readonly isBad?: boolean }) => (
  <span className={n === 0 ? 'quiet' : isBad ? styles['bad'] : undefined} title={count(n)}>
    {shortCount(n)}
  </span>
)

const queue: Column<QueueChanges> = {
  key: 'queue',
  head: 'Queue',
  width: 'minmax(6rem, 1fr)',
  cell: ({ queue: name }) => (
    <span className={styles['name']} title={name}>
      {name}
    </span>
  ),
  sort: ({ queue: name }) => name,
}

/** The columns of what changed by queue. */
export const changeColumns = (history: History, isNarrow: boolean): readonly Column<QueueChanges>[] => {
  const sent = total('sent', 'Sent', isNarrow ? '3.5rem' : '5rem')
  const done = total('committed', 'Done', isNarrow ? '3.5rem' : '5rem')
  const failed = total('failed', 'Failed', isNarrow ? '3.75rem' : '5rem', true)
  if (isNarrow) return [{ ...queue, width: 'minmax(5rem, 1fr)' }, sent, done, failed]
  return [
    queue,
    {
      key: 'activity',
      head: 'Activity',
      width: '9rem',
      cell: ({ buckets }) => (
        <Sparkline
          values={valuesOf(history, buckets)}
          width={112}
          height={20}
          label="Changes over this time"
        />
      ),
    },
    sent,
    done,
    failed,
    total('deadLettered', 'Dead-lettered', '7rem', true),
    total('discarded', 'Discarded', '6rem'),
    {
      key: 'acts',
      head: 'Acts',
      width: '4rem',
      isNumber: true,
      cell: ({ acts }) => <Count n={acts} />,
      sort: ({ acts }) => acts,
    },
    {
      key: 'compare',
      head: '',
      width: '6.5rem',
      isNumber: true,
      cell: () => <span className={styles['compare']}>Compare →</span>,
    },
  ]
}

/** Of the complete buckets. */
const valuesOf = (
  { from, to, bucketMs, known }: History,
  buckets: QueueChanges['buckets'],
): readonly number[] => {
  const length = Math.max(0, Math.floor((Math.min(to, known.to) - from) / bucketMs))
  const values = new Array<number>(length).fill(0)
  for (const bucket of buckets) {
    const i = (bucket.at - from) / bucketMs
    if (i < length) values[i] = changesIn(bucket)
  }
  return values
}
