import type { RedriveDescription } from '@kiroku/protocol'
import { Problem } from '../../parts/Problem.tsx'
import styles from './Dlq.module.css'
import { describeDryRun } from './describeDryRun.ts'

/** What would happen, spelled out. */
export const DryRun = ({
  problem,
  run,
  error,
}: {
  /** What is missing or wrong in the request. */
  readonly problem: string | undefined
  readonly run: RedriveDescription | undefined
  readonly error: unknown
}) => {
  if (problem !== undefined) return <p className={styles['dry']}>{problem}</p>
  if (error !== null) return <Problem error={error} />
  if (run === undefined)
    return (
      <p className={`quiet ${styles['dry']}`} role="status">
        Dry run…
      </p>
    )
  const { match, go, stay, beyond } = describeDryRun(run)
  const isNone = go === undefined && stay.length === 0
  return (
    <div className={styles['dry']} role="status">
      <p>{match}.</p>
      <ul>
        {!isNone && <li data-go={go !== undefined}>{go ?? 'None can be redriven'}.</li>}
        {stay.map((sentence) => (
          <li key={sentence}>{sentence}.</li>
        ))}
        {beyond !== undefined && <li>{beyond}.</li>}
      </ul>
    </div>
  )
}
