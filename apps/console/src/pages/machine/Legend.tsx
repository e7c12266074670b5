import { stateNames } from '@kiroku/protocol'
import { StateMark, type StateName } from '../../parts/StateMark.tsx'
import styles from './Legend.module.css'

/** What the signs mean, and the switch between the chart and its table. */
export const Legend = ({
  isTable,
  showTable,
}: {
  readonly isTable: boolean
  readonly showTable: (isTable: boolean) => void
}) => (
  <footer className={styles['legend']}>
    {!isTable && (
      <ul aria-label="Legend">
        {stateNames.map((state: StateName) => (
          <li key={state}>
            <StateMark state={state} />
          </li>
        ))}
        <li>double rim: final</li>
        <li>line: the thicker, the more</li>
        <li>bar: share</li>
      </ul>
    )}
    <div className={styles['switch']} role="group" aria-label="Shown as">
      <button type="button" aria-pressed={!isTable} onClick={() => showTable(false)}>
        Chart
      </button>
      <button type="button" aria-pressed={isTable} onClick={() => showTable(true)}>
        Table
      </button>
    </div>
  </footer>
)
