import { useMemo, useRef } from 'react'
import { useScope } from '../../data/moment.ts'
import { MissingNotes } from '../../parts/MissingNotes.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { time } from '../../parts/format.ts'
import type { ChartChoice } from './ChartContext.ts'
import { EdgePanel } from './EdgePanel.tsx'
import { FirstMessage } from './FirstMessage.tsx'
import { Headline } from './Headline.tsx'
import { Legend } from './Legend.tsx'
import { MachineChart } from './MachineChart.tsx'
import styles from './MachinePage.module.css'
import { MachineTable } from './MachineTable.tsx'
import { noPopulation } from '../../data/FeedModel.ts'
import type { Standing } from './Standing.ts'
import { StateList } from './StateList.tsx'
import { StatePanel } from './StatePanel.tsx'
import { warningOf } from './warningOf.ts'
import { usePrefersStill } from './usePrefersStill.ts'
import { useSelection } from './useSelection.ts'
import { useStanding, type Known } from './useStanding.ts'

/** What is drawn before anything is known. */
const nothing: Standing = {
  population: noPopulation,
  letters: noPopulation,
  flow: new Map(),
  asOf: { at: 0, seqs: [] },
  queuesIn: () => [],
}

/** The machine with all messages on it: as they stand now, or at the moment that is looked at. */
export const MachinePage = () => {
  const { queue } = useScope()
  const known = useStanding()
  const { standing = nothing, status } = known
  const { selection, isTable, selectState, selectEdge, clear, showTable } = useSelection()
  const { queues } = known
  const warnings = useMemo(() => {
    const said = warningOf(queues.filter(({ name }) => queue === undefined || name === queue))
    return new Map(said === undefined ? [] : [['Inflight', said]])
  }, [queues, queue])
  const isStill = usePrefersStill()
  const page = useRef<HTMLDivElement>(null)
  const chosen = selection?.kind === 'edge' ? selection.edge.key : selection?.name
  const choice = useMemo(
    (): ChartChoice => ({ chosen, selectState, selectEdge, warnings }),
    [chosen, selectState, selectEdge, warnings],
  )
  const close = (): void => {
    const opener = page.current?.querySelector<HTMLElement>(
      '[aria-pressed="true"][data-state], [aria-pressed="true"][data-from]',
    )
    opener?.focus()
    clear()
  }
  const isEmpty = known.standing !== undefined && Object.values(standing.population).every((n) => n === 0)
  return (
    <div
      ref={page}
      className={styles['page']}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && selection !== undefined) close()
      }}
    >
      <header className={styles['head']}>
        <h1 className="visually-hidden">Machine</h1>
        <Headline standing={standing} known={known} />
      </header>
      <Notice known={known} />
      <MissingNotes missing={known.missing} />
      <div className={styles['body']}>
        <section className={styles['stage']} aria-label={isTable ? 'The machine as a table' : 'The machine'}>
          {isTable ? (
            <MachineTable standing={standing} choice={choice} />
          ) : (
            <MachineChart
              standing={standing}
              choice={choice}
              moves={(status === 'live' || status === 'playing') && !isStill}
              isDim={status === 'lost'}
            />
          )}
          {isEmpty && !isTable && <FirstMessage queue={queue} />}
          {!isTable && <StateList standing={standing} choice={choice} />}
          <Legend isTable={isTable} showTable={showTable} />
        </section>
        {selection?.kind === 'state' && (
          <StatePanel
            key={selection.name}
            name={selection.name}
            standing={standing}
            queues={queues}
            warning={warnings.get(selection.name)}
            choice={choice}
            onClose={close}
          />
        )}
        {selection?.kind === 'edge' && (
          <EdgePanel
            key={selection.edge.key}
            edge={selection.edge}
            standing={standing}
            choice={choice}
            onClose={close}
          />
        )}
      </div>
    </div>
  )
}

/** Says what is wrong, and as of when the counts are that are still shown. */
const Notice = ({ known: { status, error, standing, retry } }: { readonly known: Known }) => {
  if (
    (status === 'past' || status === 'playing' || status === 'reading') &&
    error !== null &&
    error !== undefined
  )
    return <Problem error={error} {...(retry === undefined ? {} : { retry })} />
  if (status !== 'lost') return null
  if (standing === undefined && error !== undefined) return <Problem error={error} />
  return (
    <p className={styles['lost']} role="alert">
      <strong>The engine is away.</strong>{' '}
      {standing !== undefined && `This is as of ${time(standing.asOf.at, Date.now())}. `}
      It is asked again every few seconds.
    </p>
  )
}
