import type { FeedModel } from '../../data/FeedModel.ts'
import type { Column } from '../../parts/DataTable.tsx'
import { count, duration, rate, shortCount } from '../../parts/format.ts'
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
  width: '6.75rem',
  isNumber: true,
  cell: ({ name, tally }) => (
    <span className={styles['flow']}>
      <Sparkline values={model.series(name, key, now, 60)} width={48} height={18} label={label} />
      <span className={tally[key] === 0 ? 'quiet' : undefined}>{isKnown ? rate(tally[key]) : '–'}</span>
    </span>
  ),
  sort: ({ tally }) => tally[key],
})

const name: Column<QueueRow> = {
  key: 'name',
  head: 'Queue',
  width: 'minmax(8.5rem, 1fr)',
  cell: ({ name }) => <span className={styles['name']}>{name}</span>,
  sort: ({ name }) => name,
}

const oldest: Column<QueueRow> = {
  key: 'oldest',
  head: 'Oldest',
  width: '6.25rem',
  isNumber: true,
  cell: ({ oldestAgeMs }) =>
    oldestAgeMs === undefined || oldestAgeMs === 0 ? <span className="quiet">–</span> : duration(oldestAgeMs),
  sort: ({ oldestAgeMs }) => oldestAgeMs ?? 0,
}

/** The time that 99 of 100 messages kept below. */
const took = (key: 'waiting' | 'processing', head: string, says: string): Column<QueueRow> => ({
  key,
  head: (
    <span
      className={styles['head']}
      title={`${says}: 99 of 100 messages of the last minute took at most this long`}
    >
      {head}
    </span>
  ),
  width: '5rem',
  isNumber: true,
  cell: ({ times }) => {
    const figures = times?.[key]
    return figures === undefined ? (
      <span className="quiet">–</span>
    ) : (
      <span title={`Half of ${count(figures.count)}: at most ${duration(figures.p50Ms)}`}>
        {duration(figures.p99Ms)}
      </span>
    )
  },
  sort: ({ times }) => times?.[key]?.p99Ms ?? -1,
})

const outlook: Column<QueueRow> = {
  key: 'outlook',
  head: 'Outlook',
  width: 'minmax(9rem, 0.6fr)',
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
          took('waiting', 'Wait p99', 'From the send to the first delivery'),
          took('processing', 'Work p99', 'From a delivery to its acknowledgement'),
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
