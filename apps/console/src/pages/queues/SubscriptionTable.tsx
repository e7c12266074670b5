import type { QueueInfo, SubscriptionInfo } from '../../data/queueInfos.ts'
import { count, time } from '../../parts/format.ts'
import { settingName, settingText } from '../../parts/settingText.ts'
import { StateShape, stateWords, type StateName } from '../../parts/StateMark.tsx'
import styles from './SubscriptionTable.module.css'

const columns = [
  ['available', 'Available'],
  ['inflight', 'Inflight'],
  ['waitingRetry', 'WaitingRetry'],
  ['committed', 'Committed'],
  ['deadLettered', 'DLQ'],
  ['discarded', 'Discarded'],
] as const satisfies readonly (readonly [keyof SubscriptionInfo['counts'], StateName])[]

/** What can be done to a subscription. */
export type SubscriptionAct = 'pause' | 'resume' | 'reset' | 'delete'

/** The subscriptions of a queue: who gets its messages, and their progress. */
export const SubscriptionTable = ({
  info,
  onAct,
  onCreate,
}: {
  readonly info: QueueInfo
  /** Absent if no commands are allowed. */
  readonly onAct: ((act: SubscriptionAct, subscription: SubscriptionInfo) => void) | undefined
  readonly onCreate: (() => void) | undefined
}) => (
  <section className={styles['section']} aria-labelledby="subscriptions-title">
    <header className="row">
      <h2 id="subscriptions-title">Subscriptions</h2>
      <span className="quiet">{info.subscriptions.length}</span>
      {onCreate !== undefined && (
        <button type="button" className={`button small ${styles['end']}`} onClick={onCreate}>
          Create subscription
        </button>
      )}
    </header>
    <div className={styles['scroller']} tabIndex={0} role="group" aria-label="Table of subscriptions">
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">Subscription</th>
            {columns.map(([key, state]) => (
              <th key={key} scope="col" className="number">
                <span className={styles['head']}>
                  <StateShape state={state} size={13} />
                  {stateWords[state]}
                </span>
              </th>
            ))}
            <th scope="col">Overrides</th>
            {onAct !== undefined && (
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {info.subscriptions.map((subscription) => (
            <tr key={subscription.name}>
              <th scope="row">
                {subscription.name}
                <Remarks subscription={subscription} />
              </th>
              {columns.map(([key]) => (
                <td key={key} className={`number ${subscription.counts[key] === 0 ? 'quiet' : ''}`}>
                  {count(subscription.counts[key])}
                </td>
              ))}
              <td>
                <OwnSettings subscription={subscription} />
              </td>
              {onAct !== undefined && (
                <td>
                  <Actions subscription={subscription} onAct={onAct} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)

const Remarks = ({ subscription }: { readonly subscription: SubscriptionInfo }) => {
  const { deliveryPaused, hold, filling, consumers } = subscription
  const texts = [
    deliveryPaused ? '❚❚ paused' : '',
    hold === undefined
      ? ''
      : `❚❚ held until ${time(hold.until, hold.since)}${hold.error === '' ? '' : `: ${hold.error}`}`,
    filling === true ? 'restoring messages of the past' : '',
    consumers === undefined
      ? ''
      : `${count(consumers.length)} ${consumers.length === 1 ? 'consumer' : 'consumers'}`,
  ].filter((text) => text !== '')
  return texts.length === 0 ? null : <span className={styles['remark']}>{texts.join(' · ')}</span>
}

const OwnSettings = ({ subscription: { settings = {} } }: { readonly subscription: SubscriptionInfo }) => {
  const own = Object.entries(settings)
  return own.length === 0 ? (
    <span className="quiet">none</span>
  ) : (
    own.map(([key, value]) => `${settingName(key)} ${settingText(key, value)}`).join(', ')
  )
}

const Actions = ({
  subscription,
  onAct,
}: {
  readonly subscription: SubscriptionInfo
  readonly onAct: (act: SubscriptionAct, subscription: SubscriptionInfo) => void
}) => {
  const { name, deliveryPaused, hold } = subscription
  const act = (what: SubscriptionAct, word: string) => (
    <button
      type="button"
      className="button small"
      aria-label={`${word} subscription ${name}`}
      onClick={() => onAct(what, subscription)}
    >
      {word}
    </button>
  )
  return (
    <div className={styles['actions']}>
      {(deliveryPaused || hold !== undefined) && act('resume', 'Resume')}
      {!deliveryPaused && act('pause', 'Pause')}
      {act('reset', 'Reset')}
      {act('delete', 'Delete')}
    </div>
  )
}
