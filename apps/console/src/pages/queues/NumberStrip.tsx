import type { QueueCounts } from '@kiroku/partition'
import type { ReactNode } from 'react'
import type { Tally } from '../../data/QueueActivity.ts'
import type { QueueTimesInfo } from '../../data/queueInfos.ts'
import { count, duration, rate } from '../../parts/format.ts'
import { StateMark, type StateName } from '../../parts/StateMark.tsx'
import { retryShare } from './outlook.ts'
import styles from './NumberStrip.module.css'

const states = [
  ['Available', 'available'],
  ['Inflight', 'inflight'],
  ['WaitingRetry', 'waitingRetry'],
  ['Delayed', 'delayed'],
  ['Committed', 'committed'],
  ['DLQ', 'deadLettered'],
  ['Discarded', 'discarded'],
] as const satisfies readonly (readonly [StateName, keyof QueueCounts])[]

const kinds = [
  ['waiting', 'Wait', 'From the send to the first delivery, in the last minute'],
  ['processing', 'Work', 'From a delivery to its acknowledgement, in the last minute'],
] as const
const quantiles = [
  ['p50Ms', 'p50'],
  ['p99Ms', 'p99'],
] as const

/** How a queue stands, in numbers. */
export const NumberStrip = ({
  counts,
  tally,
  oldestAgeMs,
  times,
}: {
  readonly counts: QueueCounts
  /** Absent in the past. */
  readonly tally: Tally | undefined
  readonly oldestAgeMs: number | undefined
  /** Absent in the past. */
  readonly times: QueueTimesInfo | undefined
}) => {
  const share = tally === undefined ? undefined : retryShare(tally)
  return (
    <dl className={styles['strip']}>
      {states.map(([state, key]) => (
        <Figure key={key} label={<StateMark state={state} />} isZero={counts[key] === 0}>
          {count(counts[key])}
        </Figure>
      ))}
      {tally !== undefined && (
        <>
          <Figure label="In" isZero={tally.sent === 0}>
            {rate(tally.sent)}
          </Figure>
          <Figure label="Out" isZero={tally.committed === 0}>
            {rate(tally.committed)}
          </Figure>
          <Figure label="Retried" isZero={share === undefined || share === 0}>
            {share === undefined ? '–' : `${Math.round(share * 100)} %`}
          </Figure>
        </>
      )}
      <Figure label="Oldest" isZero={oldestAgeMs === undefined || oldestAgeMs === 0}>
        {oldestAgeMs === undefined || oldestAgeMs === 0 ? '–' : duration(oldestAgeMs)}
      </Figure>
      {tally !== undefined &&
        kinds.map(([key, word, says]) =>
          quantiles.map(([quantile, name]) => {
            const ms = times?.[key]?.[quantile]
            return (
              <Figure
                key={`${key} ${name}`}
                label={<span title={says}>{`${word} ${name}`}</span>}
                isZero={ms === undefined}
              >
                {ms === undefined ? '–' : duration(ms)}
              </Figure>
            )
          }),
        )}
    </dl>
  )
}

const Figure = ({
  label,
  isZero,
  children,
}: {
  readonly label: ReactNode
  readonly isZero: boolean
  readonly children: ReactNode
}) => (
  <div className={styles['figure']}>
    <dt>{label}</dt>
    <dd className={isZero ? 'quiet' : undefined}>{children}</dd>
  </div>
)
