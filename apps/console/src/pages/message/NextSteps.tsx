import type { Queue } from '@kiroku/api/answers'
import type { Policy } from '@kiroku/message'
import type { TraceStep } from '@kiroku/audit'
import { attemptsMaxOf } from '@kiroku/protocol'
import { useQuery } from '@tanstack/react-query'
import { get } from '../../data/api.ts'
import { StateMark, type StateName } from '../../parts/StateMark.tsx'
import { nextSteps } from './nextSteps.ts'
import styles from './NextSteps.module.css'

const policyOf = ({ config }: Queue): Policy => ({
  attemptsMax: attemptsMaxOf(config.retriesMax),
  exhaustion: config.exhaustion,
  lateHandles: config.lateHandles,
  hasDeadLetter: config.deadLetter !== null && config.deadLetter !== undefined,
})

/** What can happen to a message now, and what cannot, and why. */
export const NextSteps = ({
  step,
  now,
  isOffline,
}: {
  /** The last event. */
  readonly step: TraceStep
  /** Partition time in ms. */
  readonly now: number
  readonly isOffline: boolean
}) => {
  const { data } = useQuery({
    queryKey: ['queue', step.queue],
    queryFn: ({ signal }) => get<Queue>(`/v1/queues/${encodeURIComponent(step.queue)}`, undefined, signal),
    enabled: !isOffline,
  })
  const { state, attempt, delivery = 0, leaseUntil = 0, dueAt = 0 } = step
  const policy = data?.config === undefined ? undefined : policyOf(data)
  const next = nextSteps({
    ...{ state, attempt, delivery, leaseUntil, dueAt, now },
    ...(policy === undefined ? {} : { policy }),
  })
  return (
    <section className={styles['next']} aria-labelledby="next-steps">
      <h2 id="next-steps">What can happen next</h2>
      {next.length === 0 ? (
        <p className="quiet">Nothing: this state is final.</p>
      ) : (
        <ul>
          {next.map(({ event, to, isPossible, says }, i) => (
            <li key={i} data-possible={isPossible}>
              <code>{event}</code>
              <StateMark state={to as StateName} />
              <span className={styles['says']}>
                {isPossible ? '' : 'Not possible: '}
                {says.join(', ')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
