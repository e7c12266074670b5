import { lazy, Suspense, useMemo, useState } from 'react'
import { useMoment, useScope } from '../../data/moment.ts'
import { letterQueuesOf, lyingLetters } from '../../data/letterQueues.ts'
import { useLogInfo, useQueueInfo } from '../../data/queueInfos.ts'
import { useIsAdmin } from '../../data/session.ts'
import { useFeed } from '../../data/useFeed.ts'
import { SendButton } from '../../send/Sending.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { BatchTable } from './BatchTable.tsx'
import { ConsumerTable } from './ConsumerTable.tsx'
import { GroupTable } from './GroupTable.tsx'
import { NumberStrip } from './NumberStrip.tsx'
import { OutlookText } from './OutlookText.tsx'
import { QueueDialog, type QueueAct } from './QueueDialog.tsx'
import { QueueHistory } from './QueueHistory.tsx'
import { outlookOf, rateSeconds, stillOutlook, waitingOf } from './QueueRow.ts'
import { SettingList } from './SettingList.tsx'
import { SubscriptionTable } from './SubscriptionTable.tsx'
import styles from './QueueDetail.module.css'

const QueueCharts = lazy(async () => ({ default: (await import('./QueueCharts.tsx')).QueueCharts }))

/** One queue: its counts and outlook, subscriptions and consumers, settings, and changes. */
export const QueueDetail = ({ name }: { readonly name: string }) => {
  const { model, status, error } = useFeed(name)
  const { data: info, error: infoError, refetch } = useQueueInfo(name)
  const isAdmin = useIsAdmin(name)
  const { at } = useMoment()
  const { setQueue } = useScope()
  const log = useLogInfo()
  const letterQueues = useMemo(() => letterQueuesOf(log.data?.queues ?? []), [log.data])
  const [act, setAct] = useState<QueueAct>()
  const now = Math.floor(Date.now() / 1_000) * 1_000
  const isLive = at === undefined && model.hasSnapshot
  const counts = (isLive ? model.countsOf(name) : undefined) ?? info?.counts
  const tally = isLive ? model.activityOf(name, now, rateSeconds) : undefined
  const may = isAdmin && at === undefined && info !== undefined
  const problem = infoError ?? (status === 'lost' ? error : undefined) ?? undefined
  const { deadLetter } = info?.config ?? {}
  const still = info && stillOutlook(info)
  return (
    <div className={`page ${styles['page']}`}>
      <header className="page-head">
        <button type="button" className="button small" onClick={() => setQueue(undefined)}>
          ← All queues
        </button>
        <h1>{name}</h1>
        {counts !== undefined && tally !== undefined && (
          <OutlookText outlook={outlookOf(counts, tally, model.knownSeconds(now, rateSeconds), info)} />
        )}
        {!isLive && still !== undefined && <OutlookText outlook={still} />}
        <div className="row end">
          <SendButton draft={{ queue: name }}>Send</SendButton>
          {isAdmin && (
            <>
              {info?.deliveryPaused === true ? (
                <Do word="Resume" may={may} onClick={() => setAct({ kind: 'resume' })} />
              ) : (
                <Do word="Pause" may={may} onClick={() => setAct({ kind: 'pause' })} />
              )}
              <Do word="Change settings" may={may} onClick={() => setAct({ kind: 'settings' })} />
              <Do word="Purge" may={may} onClick={() => setAct({ kind: 'purge' })} isDanger />
              <Do word="Delete" may={may} onClick={() => setAct({ kind: 'delete' })} isDanger />
            </>
          )}
        </div>
      </header>
      {problem !== undefined && <Problem error={problem} retry={() => void refetch()} />}
      {info?.warnings.map((warning) => (
        <p key={warning} className={styles['warning']}>
          ▲ {warning}
        </p>
      ))}
      {info !== undefined && (
        <p className={`quiet ${styles['place']}`}>
          {placeText(info.places.map(({ partition }) => partition))}
          {deadLetter !== undefined && deadLetter !== null && (
            <>
              {' · dead letters go to '}
              <button type="button" className={styles['link']} onClick={() => setQueue(deadLetter.name)}>
                {deadLetter.name}
              </button>
            </>
          )}
        </p>
      )}
      {info === undefined && problem === undefined && (
        <p className="quiet">Reading {at === undefined ? 'the queue' : 'the record'}…</p>
      )}
      {counts !== undefined && (
        <NumberStrip
          counts={counts}
          tally={tally}
          oldestAgeMs={info?.oldestAgeMs}
          times={info?.times}
          letters={lyingLetters(letterQueues, name)}
        />
      )}
      {counts !== undefined && (
        <Suspense fallback={<div className={styles['charts']} />}>
          <QueueCharts
            name={name}
            model={at === undefined ? model : undefined}
            now={now}
            waiting={waitingOf(counts)}
          />
        </Suspense>
      )}
      {info !== undefined && (
        <>
          <SubscriptionTable
            info={info}
            onAct={
              may ? (what, subscription) => setAct({ kind: 'subscription', what, subscription }) : undefined
            }
            onCreate={may ? () => setAct({ kind: 'create subscription' }) : undefined}
          />
          {at === undefined && <ConsumerTable subscriptions={info.subscriptions} />}
          {at === undefined && <BatchTable info={info} />}
          {at === undefined &&
            info.config.groups !== 'none' &&
            info.subscriptions.map((subscription) => (
              <GroupTable key={subscription.name} queue={name} subscription={subscription.name} />
            ))}
          <div className={styles['halves']}>
            <SettingList info={info} />
            <QueueHistory name={name} />
          </div>
        </>
      )}
      {act !== undefined && info !== undefined && (
        <QueueDialog act={act} info={info} counts={counts ?? info.counts} onClose={() => setAct(undefined)} />
      )}
    </div>
  )
}

const placeText = (partitions: readonly number[]): string =>
  partitions.length === 1
    ? `on partition ${partitions[0]}`
    : `spread over partitions ${[...partitions].sort((a, b) => a - b).join(', ')}`

const Do = ({
  word,
  may,
  onClick,
  isDanger = false,
}: {
  readonly word: string
  readonly may: boolean
  readonly onClick: () => void
  readonly isDanger?: boolean
}) => (
  <button type="button" className={`button ${isDanger ? 'danger' : ''}`} disabled={!may} onClick={onClick}>
    {word}
  </button>
)
