import { memo } from 'react'
import { Link } from '@tanstack/react-router'
import { stateColour } from '../../parts/StateMark.tsx'
import { Sparkline } from '../../parts/Sparkline.tsx'
import { count, rate, shortCount } from '../../parts/format.ts'
import { Time } from '../../parts/When.tsx'
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

/** Most partitions listed with their last record; beyond that only their number. */
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

/** The state of the log at a glance. */
export const Headline = ({ standing, known }: { readonly standing: Standing; readonly known: Known }) => {
  const { population, letters, flow, history, asOf } = standing
  const { lying, deadToday } = known
  const shown = (text: string): string => (known.standing === undefined ? '–' : text)
  return (
    <dl className={styles['headline']}>
      <Figure
        name="Active messages"
        value={shown(shortCount(countIn(population, liveStates) - countIn(letters, liveStates)))}
        help="Sent and not final yet: held, delayed, available, in flight or waiting for a retry. Dead letters are counted apart."
      />
      {history === undefined ? null : (
        <>
          <Trend
            name="Sent"
            value={shown(rate(rateOf(flow, isSent)))}
            values={history.sent}
            colour={stateColour('Available')}
            help="Messages sent per second"
          />
          <Trend
            name="Done"
            value={shown(rate(rateOf(flow, isCommitted)))}
            values={history.committed}
            colour={stateColour('Committed')}
            help={`Messages acknowledged per second; ${rate(rateOf(flow, isFinished))} become final in all`}
          />
          <Trend
            name="Failed"
            value={shown(rate(rateOf(flow, isFailed)))}
            values={history.failed}
            colour={stateColour('WaitingRetry')}
            help="Attempts per second that failed, timed out or were given back"
          />
        </>
      )}
      <div
        className={styles['figure']}
        data-danger={lying !== undefined && lying.count > 0}
        title={deadHelp(known)}
      >
        <dt>Dead letters</dt>
        <dd>
          <Link
            to="/dlq"
            search={
              ((before: { at?: string; queue?: string }) => ({ at: before.at, queue: before.queue })) as never
            }
          >
            {lying === undefined ? '–' : count(lying.count)}
          </Link>
          {deadToday !== undefined && deadToday > 0 && (
            <span className={styles['today']}>{count(deadToday)} today</span>
          )}
        </dd>
      </div>
      <div
        className={styles['log']}
        data-position={asOf.seqs.join('.')}
        title={`Log position by partition: ${seqText(asOf.seqs)}`}
      >
        <dt>{wordOfStatus(known, asOf.silent ?? [])}</dt>
        <dd>{asOf.seqs.length > 0 && <Time at={asOf.at} now={Date.now()} />}</dd>
      </div>
    </dl>
  )
}

const deadHelp = ({ lying, deadToday, standing }: Known): string => {
  if (lying === undefined) return 'No dead-letter queue: what fails too often is discarded'
  const ever = standing === undefined ? [] : [`${count(standing.population.DLQ)} on record`]
  const since = [...(deadToday === undefined ? [] : [`${count(deadToday)} since midnight`]), ...ever]
  return `Messages in ${lying.queues.join(', ')} now. Became dead letters: ${since.join(', ')}.`
}

const wordOfStatus = ({ status, standing }: Known, silent: readonly number[]): string => {
  if (status === 'playing') return 'Playing'
  if (status === 'reading') return 'Reading ahead…'
  if (status === 'past') return standing === undefined ? 'Loading…' : 'As it stood'
  if (status === 'lost') return 'Engine unreachable'
  if (status === 'paused') return 'Paused'
  if (standing === undefined) return 'Connecting…'
  if (silent.length === 0) return 'Up to date'
  return silent.length === 1 ? `Partition ${silent[0]} is silent` : `${silent.length} partitions are silent`
}

const seqText = (seqs: readonly number[]): string =>
  seqs.length > namedMax
    ? `${seqs.length} partitions, ${shortCount(seqs.reduce((a, b) => a + b, 0))} records`
    : seqs.map(count).join(' · ')
