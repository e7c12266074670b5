import type { SubscriptionInfo } from '../../data/queueInfos.ts'
import { count } from '../../parts/format.ts'
import { When } from '../../parts/When.tsx'
import styles from './SubscriptionTable.module.css'

/** Consumers that wait for messages of a queue or hold some, and since when. */
export const ConsumerTable = ({ subscriptions }: { readonly subscriptions: readonly SubscriptionInfo[] }) => {
  const rows = subscriptions.flatMap(({ name: subscription, consumers = [] }) =>
    consumers.map((consumer) => ({ subscription, ...consumer })),
  )
  const isOne = subscriptions.length === 1
  return (
    <section className={styles['section']} aria-labelledby="consumers-title">
      <header className="row">
        <h2 id="consumers-title">Consumers</h2>
        <span className="quiet">{rows.length}</span>
      </header>
      {rows.length === 0 ? (
        <p className="quiet">
          No consumers. Start one with <code>kiroku work FILE</code>, or <code>consume</code> of the client.
        </p>
      ) : (
        <div className={styles['scroller']} tabIndex={0} role="group" aria-label="Table of consumers">
          <table className={styles['table']}>
            <thead>
              <tr>
                <th scope="col" title="As the client names itself; by default its machine and process">
                  Consumer
                </th>
                {!isOne && <th scope="col">Subscription</th>}
                <th scope="col" className="number" title="Messages that it holds under a lease">
                  In flight
                </th>
                <th scope="col" className="number" title="Its receives that wait for messages">
                  Waiting receives
                </th>
                <th scope="col" title="When the owner of the partition first heard from it">
                  Since
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ subscription, name, inflight, waitingPolls, since }) => (
                <tr key={`${subscription} ${name}`}>
                  <th scope="row">{name}</th>
                  {!isOne && <td>{subscription}</td>}
                  <td className={`number ${inflight === 0 ? 'quiet' : ''}`}>{count(inflight)}</td>
                  <td className={`number ${waitingPolls === 0 ? 'quiet' : ''}`}>{count(waitingPolls)}</td>
                  <td>{since === undefined ? '' : <When at={since} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
