import { useMemo } from 'react'
import type { FeedModel } from '../../data/FeedModel.ts'
import type { Tally } from '../../data/QueueActivity.ts'
import { count, rate } from '../../parts/format.ts'
import { stateColour } from '../../parts/StateMark.tsx'
import { TimeChart, type ChartLine } from '../../parts/TimeChart.tsx'
import { backlogSeries } from './backlogSeries.ts'
import { rateSeconds, waitingOf } from './QueueRow.ts'
import styles from './QueueCharts.module.css'

const chartSeconds = 90

const lines = [
  ['sent', 'Sent', stateColour('Available'), []],
  ['committed', 'Done', stateColour('Committed'), [6, 3]],
  ['redelivered', 'Retried', stateColour('WaitingRetry'), [2, 3]],
  ['deadLettered', 'Dead-lettered', stateColour('DLQ'), [8, 3, 2, 3]],
] as const satisfies readonly (readonly [keyof Tally, string, string, readonly number[]])[]

/** What happened in a queue in the last 90 seconds, and how its backlog went. `now` is in ms. */
export const QueueCharts = ({
  name,
  model,
  now,
}: {
  readonly name: string
  readonly model: FeedModel
  readonly now: number
}) => {
  const flow = useMemo((): readonly ChartLine[] => {
    const tally = model.activityOf(name, now, rateSeconds)
    return lines.map(([key, word, colour, dash]) => ({
      name: word,
      colour,
      dash,
      values: model.series(name, key, now, chartSeconds),
      last: rate(tally[key]),
    }))
  }, [name, model, now])
  const backlog = useMemo((): readonly ChartLine[] => {
    const counts = model.countsOf(name)
    const waiting = counts === undefined ? 0 : waitingOf(counts)
    const growth = model.series(name, 'waiting', now, chartSeconds)
    const values = backlogSeries(waiting, model.unfinished(name, 'waiting', now), growth)
    return [{ name: 'Waiting', colour: 'var(--accent)', dash: [], values, last: count(waiting) }]
  }, [name, model, now])
  return (
    <section className={styles['charts']} aria-labelledby="charts-title">
      <h2 id="charts-title" className="visually-hidden">
        The last 90 seconds
      </h2>
      <TimeChart label="Messages a second" lines={flow} />
      <TimeChart label="Backlog" lines={backlog} />
    </section>
  )
}
