import { useMemo, useRef } from 'react'
import { useScope } from '../../data/moment.ts'
import { MissingNotes } from '../../parts/MissingNotes.tsx'
import type { ChartChoice } from './ChartContext.ts'
import { EdgePanel } from './EdgePanel.tsx'
import { Headline } from './Headline.tsx'
import styles from './MachinePage.module.css'
import { Notice } from './Notice.tsx'
import { Stage } from './Stage.tsx'
import { noPopulation } from '../../data/FeedModel.ts'
import type { Standing } from './Standing.ts'
import { StatePanel } from './StatePanel.tsx'
import { warningOf } from './warningOf.ts'
import { useSelection } from './useSelection.ts'
import { useStanding } from './useStanding.ts'

/** What is drawn before anything is known. */
const nothing: Standing = {
  population: noPopulation,
  letters: noPopulation,
  flow: new Map(),
  asOf: { at: 0, seqs: [] },
  queuesIn: () => [],
}

/** The machine with all messages on it: now, or at the chosen moment. */
export const MachinePage = () => {
  const { queue } = useScope()
  const known = useStanding()
  const { standing = nothing, queues } = known
  const { selection, isTable, selectState, selectEdge, clear, showTable } = useSelection()
  const warnings = useMemo(() => {
    const said = warningOf(queues.filter(({ name }) => queue === undefined || name === queue))
    return new Map(said === undefined ? [] : [['Inflight', said]])
  }, [queues, queue])
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
        <Stage known={known} standing={standing} choice={choice} isTable={isTable} showTable={showTable} />
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
