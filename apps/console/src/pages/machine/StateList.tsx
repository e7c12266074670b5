import { stateNames } from '@kiroku/protocol'
import { StateMark, type StateName } from '../../parts/StateMark.tsx'
import { count, rate } from '../../parts/format.ts'
import type { ChartChoice } from './ChartContext.ts'
import { hasFlow, isKnown, rateInto, rateOutOf, type Standing } from './Standing.ts'
import styles from './StateList.module.css'

/** The states with their counts in a list, for screens with room only for an overview of the chart. */
export const StateList = ({
  standing,
  choice: { chosen, selectState },
}: {
  readonly standing: Standing
  readonly choice: ChartChoice
}) => (
  <ul className={styles['list']} aria-label="States">
    {stateNames.map((state: StateName) => (
      <li key={state}>
        <button type="button" aria-pressed={chosen === state} onClick={() => selectState(state)}>
          <StateMark state={state} />
          <span className="quiet">
            {hasFlow(standing) &&
              `${rate(rateInto(standing.flow, [state]))} in, ${rate(rateOutOf(standing.flow, [state]))} out`}
          </span>
          <strong>
            {isKnown(standing) ? count(standing.population[state] - standing.letters[state]) : '–'}
          </strong>
        </button>
      </li>
    ))}
  </ul>
)
