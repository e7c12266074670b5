import type { FeedModel } from '../../data/FeedModel.ts'
import type { Recent } from '../../data/Recent.ts'
import type { Column } from '../../parts/DataTable.tsx'
import { count, duration, rate, shortCount, shortDuration } from '../../parts/format.ts'
import { Sparkline } from '../../parts/Sparkline.tsx'
import { meanings, StateShape, type StateName } from '../../parts/StateMark.tsx'
import { retryShare } from './outlook.ts'
import { OutlookText } from './OutlookText.tsx'
import { waitingOf, type QueueRow } from './QueueRow.ts'
import styles from './queueColumns.module.css'

const state = (
  name: StateName,
  word: string,
  key: 'available' | 'inflight' | 'waitingRetry' | 'delayed',
  width: string,
): Column<QueueRow> => ({
  key,
  head: (
    <span className={styles['head']} title={meanings[name]}>
      <StateShape state={name} size={13} />
      {word}
    </span>
  ),
  width,
  isNumber: true,
  // What a dead-letter queue holds is counted as dead letters, not as work.
  cell: ({ counts, isLetterQueue }) =>
    isLetterQueue && key === 'available' ? <span className="quiet">–</span> : <Count n={counts[key]} />,
  sort: ({ counts, isLetterQueue }) => (isLetterQueue ? -1 : counts[key]),
})

/** Messages in a dead-letter queue, or in that of a queue. */
const letters: Column<QueueRow> = {
  key: 'letters',
  head: (
    <span className={styles['head']} title="Messages in the dead-letter queue of a queue now">
      <StateShape state="DLQ" size={13} />
      Dead
    </span>
  ),
  width: '4.25rem',
  isNumber: true,
  cell: ({ letters, counts, isLetterQueue }) =>
    letters === undefined ? (
      <span className="quiet" title="It has no dead-letter queue: what fails too often is discarded">
        –
      </span>
    ) : (
      <span
        className={letters.count === 0 ? 'quiet' : styles['letters']}
        title={
          isLetterQueue
            ? `${count(letters.count)} here now`
            : `${count(letters.count)} in ${letters.queues.join(', ')} now; ${count(counts.deadLettered)} became dead letters on record`
        }
      >
        {shortCount(letters.count)}
      </span>
    ),
  sort: ({ letters }) => letters?.count ?? -1,
}

const Count = ({ n }: { readonly n: number }) => (
  <span className={n === 0 ? 'quiet' : undefined} title={count(n)}>
    {shortCount(n)}
  </span>
)

/** A queue in each second of the last minute. */
const lastMinute = (
  model: FeedModel,
  recent: Recent | undefined,
  name: string,
  key: 'sent' | 'committed',
  now: number,
): readonly (number | undefined)[] => {
  const seen = model.series(name, key, now, 60)
  return recent?.fill(seen, now, [key], name) ?? seen
}

const flow = (
  key: 'sent' | 'committed',
  head: string,
  model: FeedModel,
  recent: Recent | undefined,
  now: number,
  label: string,
  isKnown = model.knownSeconds(now, 1) > 0,
): Column<QueueRow> => ({
  key,
  head,
  width: '5rem',
  isNumber: true,
  cell: ({ name, folded, tally }) => (
    <span className={styles['flow']}>
      {folded === undefined && (
        <Sparkline values={lastMinute(model, recent, name, key, now)} width={30} height={18} label={label} />
      )}
      <span className={tally[key] === 0 ? 'quiet' : undefined}>{isKnown ? rate(tally[key]) : '–'}</span>
    </span>
  ),
  sort: ({ tally }) => tally[key],
})

const name: Column<QueueRow> = {
  key: 'name',
  head: 'Queue',
  width: 'minmax(7rem, 1fr)',
  cell: ({ name, isLetterQueue }) => (
    <span className={styles['name']} title={isLetterQueue ? `${name}: dead letters of other queues` : name}>
      {isLetterQueue && <StateShape state="DLQ" size={13} />} {name}
    </span>
  ),
  sort: ({ name }) => name,
}

const oldest: Column<QueueRow> = {
  key: 'oldest',
  head: 'Oldest',
  width: '4.75rem',
  isNumber: true,
  cell: ({ oldestAgeMs }) =>
    oldestAgeMs === undefined || oldestAgeMs === 0 ? <span className="quiet">–</span> : duration(oldestAgeMs),
  sort: ({ oldestAgeMs }) => oldestAgeMs ?? 0,
}

const timesSay =
  '99 of 100 messages of the last minute were delivered for the first time within the first, and acknowledged within the second after their delivery'

const figureOf = (figures: { readonly p99Ms: number } | undefined): string =>
  figures === undefined ? '–' : shortDuration(figures.p99Ms)

/** The times that 99 of 100 messages of the last minute kept below: until they were delivered, and acknowledged. */
const times: Column<QueueRow> = {
  key: 'waiting',
  head: <span title={timesSay}>Wait · work</span>,
  width: '7.25rem',
  isNumber: true,
  cell: ({ times }) =>
    times === undefined ? (
      <span className="quiet">–</span>
    ) : (
      <span title={timesSay}>
        {figureOf(times.waiting)} · {figureOf(times.processing)}
      </span>
    ),
  sort: ({ times }) => times?.waiting?.p99Ms ?? -1,
}

const outlook: Column<QueueRow> = {
  key: 'outlook',
  head: 'Trend',
  width: 'minmax(6rem, 0.6fr)',
  cell: ({ outlook }) => <OutlookText outlook={outlook} />,
  // What needs attention first: a limit, a pause, growth.
  sort: ({ outlook, tally }) =>
    ({ limit: 3e12, paused: 2e12, growing: 1e12, shrinking: 0, quiet: 0 })[outlook.kind] + tally.waiting,
}

/** The columns of the list. Without a feed, in the past, there are no rates. */
export const queueColumns = (
  model: FeedModel | undefined,
  recent: Recent | undefined,
  now: number,
  isNarrow: boolean,
): readonly Column<QueueRow>[] => {
  if (isNarrow)
    return [
      { ...name, width: 'minmax(5rem, 1fr)' },
      {
        key: 'waiting',
        head: 'Waiting',
        width: '4rem',
        isNumber: true,
        cell: ({ counts, isLetterQueue }) =>
          isLetterQueue ? <span className="quiet">–</span> : <Count n={waitingOf(counts)} />,
        sort: ({ counts }) => waitingOf(counts),
      },
      { ...letters, width: '3.75rem' },
      model === undefined
        ? oldest
        : {
            ...outlook,
            width: 'minmax(4.5rem, 0.6fr)',
            cell: ({ outlook }) => <OutlookText outlook={outlook} />,
          },
    ]
  return [
    name,
    state('Available', 'Available', 'available', '5.25rem'),
    state('Inflight', 'In flight', 'inflight', '4.75rem'),
    state('WaitingRetry', 'Retrying', 'waitingRetry', '5rem'),
    state('Delayed', 'Delayed', 'delayed', '4.75rem'),
    letters,
    ...(model === undefined
      ? []
      : [
          flow('sent', 'In', model, recent, now, 'Messages sent in the last minute'),
          flow('committed', 'Out', model, recent, now, 'Messages committed in the last minute'),
        ]),
    oldest,
    ...(model === undefined
      ? []
      : [
          times,
          {
            key: 'retried',
            head: 'Retried',
            width: '4rem',
            isNumber: true,
            cell: ({ tally }: QueueRow) => {
              const share = retryShare(tally)
              return share === undefined ? <span className="quiet">–</span> : `${Math.round(share * 100)} %`
            },
            sort: ({ tally }: QueueRow) => retryShare(tally) ?? -1,
          },
        ]),
    outlook,
  ]
}
