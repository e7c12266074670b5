import type { BatchCost, BatchCosts } from '@kiroku/audit'
import { batchFill, deliveriesPer1000 } from '@kiroku/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { get } from '../../data/api.ts'
import type { QueueInfo, RecentBatchesInfo } from '../../data/queueInfos.ts'
import { Problem } from '../../parts/Problem.tsx'
import { count, duration, time } from '../../parts/format.ts'
import styles from './SubscriptionTable.module.css'

type Figures = Pick<BatchCost, 'messages' | 'messagesPerDelivery' | 'deliveriesPer1000' | 'waited'>

/** How full the batches of a queue are and what that costs, compared with other settings. */
export const BatchTable = ({ info }: { readonly info: QueueInfo }) => {
  const [isCompared, setIsCompared] = useState(false)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['batches', info.name],
    queryFn: ({ signal }) =>
      get<BatchCosts>(`/v1/queues/${encodeURIComponent(info.name)}/batches`, undefined, signal),
    enabled: isCompared,
    staleTime: Infinity,
  })
  return (
    <section className={styles['section']} aria-labelledby="batches-title">
      <header className="row">
        <h2 id="batches-title">Batches</h2>
        <span className="quiet">last minute</span>
        <button
          type="button"
          className={`button small ${styles['end']}`}
          disabled={isFetching}
          onClick={() => (isCompared ? void refetch() : setIsCompared(true))}
        >
          {isFetching ? 'Replaying…' : isCompared ? 'Compare again' : 'Compare settings'}
        </button>
      </header>
      <Table label="Batches of the last minute" first="Subscription">
        {info.subscriptions.map(({ name, batches }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <Cells
              figures={batches && figuresOf(batches)}
              of={batches && `of ${count(batches.messagesMax)} asked for`}
            />
          </tr>
        ))}
      </Table>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data?.subscriptions.map(({ subscription, delivered, replayed }) => (
        <Table
          key={subscription}
          label={`Batch settings compared for ${subscription}`}
          first={`Settings of ${subscription}`}
        >
          <tr>
            <th scope="row">As delivered</th>
            <Cells figures={delivered.messages === 0 ? undefined : delivered} />
          </tr>
          {replayed.map(({ batchMessages, batchWaitMs, isSet, ...figures }) => (
            <tr key={`${batchMessages} ${batchWaitMs}`}>
              <th scope="row">
                {settingsText(batchMessages, batchWaitMs)}
                {isSet && <span className={styles['remark']}>set now</span>}
              </th>
              <Cells figures={figures.messages === 0 ? undefined : figures} />
            </tr>
          ))}
        </Table>
      ))}
      {data !== undefined && (
        <p className="quiet">
          Arrivals from {time(data.from)} to {time(data.to)}, replayed from the record as if a receive were
          always waiting; a busy consumer gets fuller batches.
        </p>
      )}
    </section>
  )
}

const settingsText = (batchMessages: number, batchWaitMs: number): string =>
  `${count(batchMessages)}, ${batchWaitMs === 0 ? 'no wait' : `after ${duration(batchWaitMs)}`}`

const figuresOf = ({ deliveries, messages, waited }: RecentBatchesInfo): Figures => ({
  messages,
  messagesPerDelivery: batchFill({ deliveries, messages }),
  deliveriesPer1000: deliveriesPer1000({ deliveries, messages }),
  ...(waited === undefined ? {} : { waited }),
})

const Table = ({
  label,
  first,
  children,
}: {
  readonly label: string
  readonly first: string
  readonly children: ReactNode
}) => (
  <div className={styles['scroller']} tabIndex={0} role="group" aria-label={`Table: ${label}`}>
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          {['Messages', 'Per delivery', 'Invocations per 1,000', 'Waited p50', 'Waited p99'].map((head) => (
            <th key={head} scope="col" className="number">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)

const Cells = ({
  figures,
  of,
}: {
  readonly figures: Figures | undefined
  readonly of?: string | undefined
}) =>
  figures === undefined ? (
    <td colSpan={5} className="number quiet">
      nothing delivered
    </td>
  ) : (
    <>
      <td className="number">{count(figures.messages)}</td>
      <td className="number">
        {oneDigit(figures.messagesPerDelivery)}
        {of !== undefined && <span className={styles['remark']}>{of}</span>}
      </td>
      <td className="number">{oneDigit(figures.deliveriesPer1000)}</td>
      <td className="number">{figures.waited === undefined ? '–' : duration(figures.waited.p50Ms)}</td>
      <td className="number">{figures.waited === undefined ? '–' : duration(figures.waited.p99Ms)}</td>
    </>
  )

const oneDigit = (n: number): string => String(+n.toFixed(1))
