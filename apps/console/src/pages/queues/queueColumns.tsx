import type { FeedModel } from '../../data/FeedModel.ts'
import type { Column } from '../../parts/DataTable.tsx'
import { count, duration, rate, shortCount, shortDuration } from '../../parts/format.ts'
import { Sparkline } from '../../parts/Sparkline.tsx'
import { StateShape, stateWords, type StateName } from '../../parts/StateMark.tsx'
import { retryShare } from './outlook.ts'
import { OutlookText } from './OutlookText.tsx'
import { waitingOf, type QueueRow } from './QueueRow.ts'
import styles from './queueColumns.module.css'

const state = (
  name: StateName,
  word: string,
  key: 'available' | 'inflight' | 'waitingRetry' | 'delayed' | 'deadLettered',
  width: string,
): Column<QueueRow> => ({
  key,
  head: (
    <span className={styles['head']} title={stateWords[name]}>
      <StateShape state={name} size={13} />
      {word}
    </span>
  ),
  width,
  isNumber: true,
  cell: ({ counts }) => <Count n={counts[key]} />,
  sort: ({ counts }) => counts[key],
})

const Count = ({ n }: { readonly n: number }) => (
  <span className={n === 0 ? 'quiet' : undefined} title={count(n)}>
    {shortCount(n)}
  </span>
)

const flow = (
  key: 'sent' | 'committed',
  head: string,
  model: FeedModel,
  now: number,
  label: string,
  isKnown = model.knownSeconds(now, 1) > 0,
): Column<QueueRow> => ({
  key,
  head,
  width: '5.25rem',
  isNumber: true,
  cell: ({ name, tally }) => (
    <span className={styles['flow']}>
      <Sparkline values={model.series(name, key, now, 60)} width={30} height={18} label={label} />
      <span className={tally[key] === 0 ? 'quiet' : undefined}>{isKnown ? rate(tally[key]) : '–'}</span>
    </span>
  ),
  sort: ({ tally }) => tally[key],
})

const name: Column<QueueRow> = {
  key: 'name',
  head: 'Queue',
  width: 'minmax(8rem, 1fr)',
  cell: ({ name }) => <span className={styles['name']}>{name}</span>,
  sort: ({ name }) => name,
}

const oldest: Column<QueueRow> = {
  key: 'oldest',
  head: 'Oldest',
  width: '5.25rem',
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
  width: '6.25rem',
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
  head: 'Outlook',
  width: 'minmax(8.25rem, 0.6fr)',
  cell: ({ outlook }) => <OutlookText outlook={outlook} />,
  // What needs somebody first: a limit, a pause, growth.
  sort: ({ outlook, tally }) =>
    ({ limit: 3e12, paused: 2e12, growing: 1e12, shrinking: 0, quiet: 0 })[outlook.kind] + tally.waiting,
}

/** The columns of the list. Without a feed, in the past, there are no rates. */
export const queueColumns = (
  model: FeedModel | undefined,
  now: number,
  isNarrow: boolean,
): readonly Column<QueueRow>[] => {
  if (isNarrow)
    return [
      { ...name, width: 'minmax(6rem, 1fr)' },
      {
        key: 'waiting',
        head: 'Waiting',
        width: '4.5rem',
        isNumber: true,
        cell: ({ counts }) => <Count n={waitingOf(counts)} />,
        sort: ({ counts }) => waitingOf(counts),
      },
      model === undefined
        ? oldest
        : { ...outlook, width: '8.5rem', cell: ({ outlook }) => <OutlookText outlook={outlook} /> },
    ]
  return [
    name,
    state('Available', 'Available', 'available', '5.5rem'),
    state('Inflight', 'In flight', 'inflight', '4.75rem'),
    state('WaitingRetry', 'Retrying', 'waitingRetry', '5.25rem'),
    state('Delayed', 'Delayed', 'delayed', '5rem'),
    state('DLQ', 'Dead', 'deadLettered', '4.25rem'),
    ...(model === undefined
      ? []
      : [
          flow('sent', 'In', model, now, 'Messages sent in the last minute'),
          flow('committed', 'Out', model, now, 'Messages committed in the last minute'),
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
