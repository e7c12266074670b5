import type { QueueCounts } from '@kiroku/protocol'
import type { Tally } from '../../data/QueueActivity.ts'
import type { LyingLetters } from '../../data/letterQueues.ts'
import type { QueueTimesInfo } from '../../data/queueInfos.ts'
import { Figure, Figures, SmallFigures } from '../../parts/Figures.tsx'
import { StateMark, type StateName } from '../../parts/StateMark.tsx'
import { count, duration, rate } from '../../parts/format.ts'
import styles from './NumberStrip.module.css'
import { waitingOf } from './QueueRow.ts'
import { retryShare } from './outlook.ts'

const states = [
  ['Available', 'available'],
  ['Inflight', 'inflight'],
  ['WaitingRetry', 'waitingRetry'],
  ['Delayed', 'delayed'],
  ['Committed', 'committed'],
  ['Discarded', 'discarded'],
] as const satisfies readonly (readonly [StateName, keyof QueueCounts])[]

const kinds = [
  ['waiting', 'Wait p50', 'From the send to the first delivery'],
  ['processing', 'Work p50', 'From a delivery to its acknowledgement'],
] as const
/** A queue's numbers: first the main ones, then what they consist of. */
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
  /** Messages in its dead-letter queue; undefined: it has none. */
  readonly letters: LyingLetters | undefined
}) => {
  const share = tally === undefined ? undefined : retryShare(tally)
  return (
    <div className={styles['strip']}>
      <Figures>
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
      </Figures>
      <SmallFigures>
        {states.map(([state, key]) => (
          <Figure key={key} label={<StateMark state={state} />} isZero={counts[key] === 0}>
            {count(counts[key])}
          </Figure>
        ))}
      </SmallFigures>
      {tally !== undefined && (
        <SmallFigures>
          {kinds.map(([key, word, says]) => {
            const { p50Ms, p99Ms } = times?.[key] ?? {}
            return (
              <Figure
                key={key}
                label={word}
                help={`${says}, in the last minute: half of the messages took less than the first, 99 of 100 less than the second`}
                isZero={p50Ms === undefined}
              >
                {p50Ms === undefined || p99Ms === undefined
                  ? '–'
                  : `${duration(p50Ms)}, p99 ${duration(p99Ms)}`}
              </Figure>
            )
          })}
          <Figure
            label="Retried"
            help="Share of deliveries that were not the first of their message, over the last 15 s"
            isZero={share === undefined || share === 0}
          >
            {share === undefined ? '–' : `${Math.round(share * 100)} %`}
          </Figure>
        </SmallFigures>
      )}
    </div>
  )
}
