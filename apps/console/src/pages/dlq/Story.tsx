import type { Trace, TraceAttempt } from '@kiroku/audit'
import { explain } from '@kiroku/audit/explain'
import { traceUpTo } from '@kiroku/audit/trace-up-to'
import { useQuery } from '@tanstack/react-query'
import { get } from '../../data/api.ts'
import { useMoment } from '../../data/moment.ts'
import { useHasHappened } from '../../data/useHasHappened.ts'
import { duration, exactTime } from '../../parts/format.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Time } from '../../parts/When.tsx'
import styles from './Dlq.module.css'

/** What happened to a message up to the chosen moment, in sentences, and its attempts. */
export const Story = ({ id }: { readonly id: string }) => {
  const { data, error } = useQuery({
    queryKey: ['trace', id],
    queryFn: ({ signal }) => get<Trace>(`/v1/messages/${encodeURIComponent(id)}/trace`, undefined, signal),
  })
  const { at } = useMoment()
  const hasHappened = useHasHappened()
  if (error !== null) return <Problem error={error} />
  if (data === undefined || (at !== undefined && hasHappened === undefined))
    return (
      <p className="quiet" role="status">
        Reading what happened…
      </p>
    )
  const told = hasHappened === undefined ? data : traceUpTo(data, hasHappened)
  if (told === undefined) return null
  const { sentences, attempts } = explain(told, (when) => exactTime(when).slice('2026-'.length))
  return (
    <section className={styles['part']}>
      <h3>What happened to {id}</h3>
      <ol className={styles['story']}>
        {sentences.map((sentence) => {
          const [when, what] = partsOf(sentence)
          return (
            <li key={sentence}>
              <time>{when}</time>
              <span>{what}</span>
            </li>
          )
        })}
      </ol>
      {attempts.length > 0 && <Attempts attempts={attempts} />}
    </section>
  )
}

/** The time a sentence begins with, and the rest; some have none. */
const partsOf = (sentence: string): readonly [when: string, what: string] => {
  const at = sentence.indexOf('  ')
  return at < 0 ? ['', sentence] : [sentence.slice(0, at), sentence.slice(at + 2)]
}

const Attempts = ({ attempts }: { readonly attempts: readonly TraceAttempt[] }) => (
  <table className={styles['diff']}>
    <caption className="visually-hidden">Attempts</caption>
    <thead>
      <tr>
        <th scope="col">Attempt</th>
        <th scope="col">Consumer</th>
        <th scope="col">At</th>
        <th scope="col">Waited</th>
        <th scope="col">Took</th>
        <th scope="col">Error</th>
      </tr>
    </thead>
    <tbody>
      {attempts.map((each) => (
        <tr key={`${each.queue} ${each.delivery} ${each.at}`}>
          <td>
            {each.attempt} in {each.queue}
          </td>
          <td>{each.consumer}</td>
          <td>
            <Time at={each.at} form="clock" />
          </td>
          <td>{duration(each.waitMs)}</td>
          <td>{each.ms === undefined ? 'in flight' : duration(each.ms)}</td>
          <td>{each.error ?? ''}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
