import { stateNames } from '@kiroku/protocol'
import { StateShape, stateWords, type StateName } from '../../parts/StateMark.tsx'
import styles from './StateChips.module.css'

/** One switch for each state. */
export const StateChips = ({
  states,
  offered = stateNames,
  onToggle,
}: {
  readonly states: ReadonlySet<StateName>
  readonly offered?: readonly StateName[]
  readonly onToggle: (state: StateName) => void
}) => (
  <div className={styles['chips']} role="group" aria-label="States">
    {offered.map((state) => (
      <button
        key={state}
        type="button"
        className={styles['chip']}
        aria-pressed={states.has(state)}
        onClick={() => onToggle(state)}
      >
        <StateShape state={state} size={14} />
        {stateWords[state]}
      </button>
    ))}
  </div>
)
