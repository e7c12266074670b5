import { memo } from 'react'
import { Link } from '@tanstack/react-router'
import { stateColour } from '../../parts/StateMark.tsx'
import { Sparkline } from '../../parts/Sparkline.tsx'
import { count, rate, shortCount, time } from '../../parts/format.ts'
import styles from './Headline.module.css'
import {
  countIn,
  isCommitted,
  isFailed,
  isFinished,
  isSent,
  liveStates,
  rateOf,
  type Standing,
} from './Standing.ts'
import type { Known } from './useStanding.ts'

/** How many partitions are named with their last record; of more, how many there are. */
const namedMax = 4

const Figure = ({
  name,
  value,
  help,
}: {
  readonly name: string
  readonly value: string
  readonly help?: string
}) => (
  <div className={styles['figure']} title={help}>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

const Trend = memo(
  ({
    name,
    value,
    values,
    colour,
    help,
  }: {
    readonly name: string
    readonly value: string
    readonly values: readonly (number | undefined)[]
    readonly colour: string
    readonly help: string
  }) => (
    <div className={styles['trend']} title={help}>
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd>
        <Sparkline
          values={values}
          width={88}
          height={34}
          colour={colour}
          label={`${name} in the last 90 s`}
        />
      </dd>
    </div>
  ),
)

/** How the log stands in one glance. */
export const Headline = ({ standing, known }: { readonly standing: Standing; readonly known: Known }) => {
  const { population, flow, history, asOf } = standing
  const shown = (text: string): string => (known.standing === undefined ? '–' : text)
  return (
    <dl className={styles['headline']}>
      <Figure
        name="Live"
        value={shown(shortCount(countIn(population, liveStates)))}
        help="Messages that are not over"
      />
      {history === undefined ? null : (
        <>
          <Trend
            name="Sent"
            value={shown(rate(rateOf(flow, isSent)))}
            values={history.sent}
            colour={stateColour('Available')}
            help="Messages that come in"
          />
          <Trend
            name="Committed"
            value={shown(rate(rateOf(flow, isCommitted)))}
            values={history.committed}
            colour={stateColour('Committed')}
            help={`Messages that were handled; ${rate(rateOf(flow, isFinished))} end in all`}
          />
          <Trend
            name="Failed"
            value={shown(rate(rateOf(flow, isFailed)))}
            values={history.failed}
            colour={stateColour('WaitingRetry')}
            help="Attempts that came to nothing: failed, run out of time or given back"
          />
        </>
      )}
      <div className={styles['figure']} data-danger={population.DLQ > 0}>
        <dt>Dead letters</dt>
        <dd>
          <Link
            to="/dlq"
            search={
              ((before: { at?: string; queue?: string }) => ({ at: before.at, queue: before.queue })) as never
            }
          >
            {shown(count(population.DLQ))}
          </Link>
        </dd>
      </div>
      <div className={styles['log']} data-position={asOf.seqs.join('.')}>
        <dt>{wordOfStatus(known, asOf.silent ?? [])}</dt>
        <dd>{asOf.seqs.length > 0 && `${seqText(asOf.seqs)} · ${time(asOf.at, Date.now())} UTC`}</dd>
      </div>
    </dl>
  )
}

const wordOfStatus = ({ status, standing }: Known, silent: readonly number[]): string => {
  if (status === 'playing') return 'Playing'
  if (status === 'past') return standing === undefined ? 'Reading the record…' : 'As it stood'
  if (status === 'lost') return 'Engine away'
  if (status === 'paused') return 'Paused'
  if (standing === undefined) return 'Connecting…'
  if (silent.length === 0) return 'Up to date'
  return silent.length === 1 ? `Partition ${silent[0]} is silent` : `${silent.length} partitions are silent`
}

const seqText = (seqs: readonly number[]): string =>
  seqs.length > namedMax
    ? `${seqs.length} partitions, ${shortCount(seqs.reduce((a, b) => a + b, 0))} records`
    : `record ${seqs.map(count).join(' · ')}`
