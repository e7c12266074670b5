import { Problem } from '../../parts/Problem.tsx'
import { time } from '../../parts/format.ts'
import styles from './MachinePage.module.css'
import type { Known } from './useStanding.ts'

/** Says what is wrong, and how old the shown counts are. */
export const Notice = ({ known: { status, error, standing, retry } }: { readonly known: Known }) => {
  if (
    (status === 'past' || status === 'playing' || status === 'reading') &&
    error !== null &&
    error !== undefined
  )
    return <Problem error={error} {...(retry === undefined ? {} : { retry })} />
  if (status !== 'lost') return null
  if (standing === undefined && error !== undefined) return <Problem error={error} />
  return (
    <p className={styles['lost']} role="alert">
      <strong>The engine is away.</strong>{' '}
      {standing !== undefined && `This is as of ${time(standing.asOf.at, Date.now())}. `}
      It is retried every few seconds.
    </p>
  )
}
