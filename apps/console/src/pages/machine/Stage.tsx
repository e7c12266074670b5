import { useScope } from '../../data/moment.ts'
import type { ChartChoice } from './ChartContext.ts'
import { FirstMessage } from './FirstMessage.tsx'
import { Legend } from './Legend.tsx'
import { MachineChart } from './MachineChart.tsx'
import styles from './MachinePage.module.css'
import { MachineTable } from './MachineTable.tsx'
import type { Standing } from './Standing.ts'
import { StateList } from './StateList.tsx'
import { usePrefersStill } from './usePrefersStill.ts'
import type { Known } from './useStanding.ts'

/** The machine itself, as a chart or as a table. */
export const Stage = ({
  known,
  standing,
  choice,
  isTable,
  showTable,
}: {
  readonly known: Known
  /** What is drawn, also before anything is known. */
  readonly standing: Standing
  readonly choice: ChartChoice
  readonly isTable: boolean
  readonly showTable: (isTable: boolean) => void
}) => {
  const { queue } = useScope()
  const { status } = known
  const isStill = usePrefersStill()
  const isEmpty = known.standing !== undefined && Object.values(standing.population).every((n) => n === 0)
  return (
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
  )
}
