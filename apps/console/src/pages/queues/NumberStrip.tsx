import type { QueueCounts } from '@kiroku/partition'
import type { ReactNode } from 'react'
import type { Tally } from '../../data/QueueActivity.ts'
import type { QueueTimesInfo } from '../../data/queueInfos.ts'
import { count, duration, rate } from '../../parts/format.ts'
import { StateMark, type StateName } from '../../parts/StateMark.tsx'
import type { LyingLetters } from '../../data/letterQueues.ts'
import { retryShare } from './outlook.ts'
import { waitingOf } from './QueueRow.ts'
import styles from './NumberStrip.module.css'

const states = [
  ['Available', 'available'],
  ['Inflight', 'inflight'],
  ['WaitingRetry', 'waitingRetry'],
  ['Delayed', 'delayed'],
  ['Committed', 'committed'],
  ['Discarded', 'discarded'],
] as const satisfies readonly (readonly [StateName, keyof QueueCounts])[]

const kinds = [
  ['waiting', 'Wait', 'From the send to the first delivery'],
  ['processing', 'Work', 'From a delivery to its acknowledgement'],
] as const
const quantiles = [
  ['p50Ms', 'p50', 'half of the messages of the last minute took less'],
  ['p99Ms', 'p99', '99 of 100 messages of the last minute took less'],
] as const

/** How a queue stands: first what one looks for, then what it is made of. */
export const NumberStrip = ({
  counts,
  tally,
  oldestAgeMs,
  times,
  letters,
}: {
  readonly counts: QueueCounts
  /** Absent in the past. */
  readonly tally: Tally | undefined
  readonly oldestAgeMs: number | undefined
  /** Absent in the past. */
  readonly times: QueueTimesInfo | undefined
  /** What lies in its dead-letter queue; undefined: it has none. */
  readonly letters: LyingLetters | undefined
}) => {
  const share = tally === undefined ? undefined : retryShare(tally)
  return (
    <div className={styles['strip']}>
      <dl className={styles['first']}>
        <Figure label="Waiting" help="Available, in flight or waiting for a retry: due and not final">
          {count(waitingOf(counts))}
        </Figure>
        {tally !== undefined && (
          <>
            <Figure label="In" help="Messages sent per second, over the last 15 s" isZero={tally.sent === 0}>
              {rate(tally.sent)}
            </Figure>
            <Figure
              label="Out"
              help="Messages acknowledged per second, over the last 15 s"
              isZero={tally.committed === 0}
            >
              {rate(tally.committed)}
            </Figure>
          </>
        )}
        <Figure
          label="Oldest"
          help="Age of the oldest message that is not final"
          isZero={oldestAgeMs === undefined || oldestAgeMs === 0}
        >
          {oldestAgeMs === undefined || oldestAgeMs === 0 ? '–' : duration(oldestAgeMs)}
        </Figure>
        <Figure
          label="Dead letters"
          help={
            letters === undefined
              ? 'It has no dead-letter queue: what fails too often is discarded'
              : `In ${letters.queues.join(', ')} now; ${count(counts.deadLettered)} became dead letters on record`
          }
          isZero={letters === undefined || letters.count === 0}
          isBad={letters !== undefined && letters.count > 0}
        >
          {letters === undefined ? '–' : count(letters.count)}
        </Figure>
      </dl>
      <dl className={styles['then']}>
        {states.map(([state, key]) => (
          <Figure key={key} label={<StateMark state={state} />} isZero={counts[key] === 0}>
            {count(counts[key])}
          </Figure>
        ))}
        {tally !== undefined && (
          <Figure
            label="Retried"
            help="Share of deliveries that were not the first of their message, over the last 15 s"
            isZero={share === undefined || share === 0}
          >
            {share === undefined ? '–' : `${Math.round(share * 100)} %`}
          </Figure>
        )}
        {tally !== undefined &&
          kinds.map(([key, word, says]) =>
            quantiles.map(([quantile, name, means]) => {
              const ms = times?.[key]?.[quantile]
              return (
                <Figure
                  key={`${key} ${name}`}
                  label={`${word} ${name}`}
                  help={`${says}: ${means}`}
                  isZero={ms === undefined}
                >
                  {ms === undefined ? '–' : duration(ms)}
                </Figure>
              )
            }),
          )}
      </dl>
    </div>
  )
}

const Figure = ({
  label,
  help,
  isZero = false,
  isBad = false,
  children,
}: {
  readonly label: ReactNode
  /** What the number means. */
  readonly help?: string
  readonly isZero?: boolean
  readonly isBad?: boolean
  readonly children: ReactNode
}) => (
  <div className={styles['figure']} title={help}>
    <dt>{label}</dt>
    <dd className={isZero ? 'quiet' : undefined} data-bad={isBad}>
      {children}
    </dd>
  </div>
)
