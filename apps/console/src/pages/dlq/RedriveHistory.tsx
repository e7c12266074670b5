import type { RedriveDescription } from '@kiroku/protocol'
import { StateShape, type StateName } from '../../parts/StateMark.tsx'
import { Time } from '../../parts/When.tsx'
import { count } from '../../parts/format.ts'
import styles from './Dlq.module.css'
import { describeOutcome, stayReasons } from './describeDryRun.ts'

const shapes: Readonly<Record<string, StateName>> = {
  completed: 'Committed',
  cancelled: 'Discarded',
  failed: 'DLQ',
}

/** Redrives that ended, newest first: who, when, why, and the result. */
export const RedriveHistory = ({ redrives }: { readonly redrives: readonly RedriveDescription[] }) => (
  <section className={styles['part']}>
    <h2>Earlier redrives</h2>
    <ol className={styles['history']}>
      {redrives.map((redrive) => {
        const { task, subscription, state, by, startedAt, skipped } = redrive
        const stays = Object.entries(skipped) as [keyof typeof stayReasons, number][]
        return (
          <li key={`${subscription} ${task}`}>
            <span className={styles['name']}>
              <StateShape state={shapes[state] ?? 'Committed'} />
              {state}
            </span>
            <span>
              {describeOutcome(redrive)}
              {subscription === 'main' ? '' : ` (subscription ${subscription})`}
              {stays.map(([reason, n]) => (
                <span key={reason} className={styles['stay']}>
                  {count(n)} stayed: {stayReasons[reason]}
                </span>
              ))}
            </span>
            <span className="quiet">
              <Time at={startedAt} /> by {by.name}
              {by.reason !== undefined && <q>{by.reason}</q>}
            </span>
          </li>
        )
      })}
    </ol>
  </section>
)
