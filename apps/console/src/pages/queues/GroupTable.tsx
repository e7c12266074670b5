import type { Groups } from '@kiroku/api/answers'
import { useQuery } from '@tanstack/react-query'
import { get } from '../../data/api.ts'
import { useInterval } from '../../data/useFeed.ts'
import { Problem } from '../../parts/Problem.tsx'
import { count, duration } from '../../parts/format.ts'
import styles from './SubscriptionTable.module.css'

/** Groups that are shown: blocked ones first, then by waiting messages. */
const shownMax = 10

/** The message groups of a subscription that are blocked, or have most waiting. */
export const GroupTable = ({
  queue,
  subscription,
}: {
  readonly queue: string
  readonly subscription: string
}) => {
  const interval = useInterval(5_000)
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['groups', queue, subscription],
    queryFn: ({ signal }) =>
      get<Groups>(
        `/v1/queues/${encodeURIComponent(queue)}/groups`,
        { subscription, limit: shownMax },
        signal,
      ),
    refetchInterval: interval,
  })
  const title = subscription === 'main' ? 'Message groups' : `Message groups of ${subscription}`
  return (
    <section className={styles['section']} aria-label={title}>
      <header className="row">
        <h2>{title}</h2>
        {data !== undefined && (
          <span className="quiet">
            {data.total > data.groups.length
              ? `${count(data.groups.length)} of ${count(data.total)}: held up first, then by what waits`
              : count(data.total)}
          </span>
        )}
      </header>
      {error !== null && <Problem error={error} />}
      {data !== undefined && data.total > 0 && (
        <div className={styles['scroller']} tabIndex={0} role="group" aria-label={`Table: ${title}`}>
          <table className={styles['table']}>
            <thead>
              <tr>
                <th scope="col">Group</th>
                <th scope="col" className="number">
                  Waiting
                </th>
                <th scope="col" className="number">
                  In flight
                </th>
                <th scope="col">Held up by</th>
              </tr>
            </thead>
            <tbody>
              {data.groups.map(({ group, waiting, inflight, blockedBy }) => (
                <tr key={group}>
                  <th scope="row">{group}</th>
                  <td className="number">{count(waiting)}</td>
                  <td className="number">{count(inflight)}</td>
                  <td>
                    {blockedBy === undefined ? (
                      <span className="quiet">–</span>
                    ) : (
                      heldUp(blockedBy, dataUpdatedAt)
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

const heldUp = (
  { number, state, attempt, until }: NonNullable<Groups['groups'][number]['blockedBy']>,
  now: number,
): string =>
  `message ${number}, ${state === 'Inflight' ? 'in flight' : 'waiting for its retry'}, attempt ${attempt}, ${
    until > now ? `for ${duration(until - now)} at most` : 'any moment'
  }`
