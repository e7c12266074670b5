import { StateMark } from '../../parts/StateMark.tsx'
import { count, deadLetters, rate } from '../../parts/format.ts'
import { chart, edgeData, isLoop, isState, leavesOf, wordOf } from '../../chart/chart.ts'
import type { ChartChoice } from './ChartContext.ts'
import styles from './MachineTable.module.css'
import { countIn, edgeRate, rateInto, rateOutOf, shareOf, type Standing } from './Standing.ts'

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** All that the chart shows, in rows. */
export const MachineTable = ({
  standing: { population, letters, flow },
  choice: { chosen, selectState, selectEdge, warnings },
}: {
  readonly standing: Standing
  readonly choice: ChartChoice
}) => (
  <div className={styles['tables']} tabIndex={0} role="region" aria-label="States and transitions">
    <table className={styles['table']}>
      <caption>States</caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">What it means</th>
          <th scope="col" className="number">
            Messages
          </th>
          <th scope="col" className="number">
            Share
          </th>
          <th scope="col" className="number">
            In
          </th>
          <th scope="col" className="number">
            Out
          </th>
        </tr>
      </thead>
      <tbody>
        {chart.nodes.map(({ name, parent, kind, description }) => {
          const states = leavesOf(chart.nodes, name).filter(isState)
          return (
            <tr key={name} data-chosen={chosen === name}>
              <th scope="row" className={parent === '' ? undefined : styles['child']}>
                <button
                  type="button"
                  className={styles['link']}
                  data-state={name}
                  data-count={countIn(population, states)}
                  aria-pressed={chosen === name}
                  onClick={() => selectState(name)}
                >
                  {isState(name) ? <StateMark state={name} /> : wordOf(name)}
                </button>
              </th>
              <td>
                {description}
                {warnings.has(name) && (
                  <strong className={styles['warning']}> Near limit: {warnings.get(name)}.</strong>
                )}
              </td>
              <td className="number">
                {count(countIn(population, states) - countIn(letters, states))}
                {countIn(letters, states) > 0 && (
                  <span className="quiet"> + {deadLetters(countIn(letters, states))}</span>
                )}
              </td>
              <td className="number">{percent.format(shareOf(population, states))}</td>
              <td className="number">{rate(rateInto(flow, states))}</td>
              <td className="number">{kind === 'final' ? 'final' : rate(rateOutOf(flow, states))}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
    <table className={styles['table']}>
      <caption>Transitions</caption>
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col">To</th>
          <th scope="col" className="number">
            Rate
          </th>
          <th scope="col">Event</th>
          <th scope="col">Guards, all of which must hold</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      {chart.edges.map((edge) => (
        <tbody key={edge.key} data-chosen={chosen === edge.key}>
          {edge.ways.map(({ event, guards, actions }, i) => (
            <tr key={`${event} ${guards.join(' ')}`}>
              {i === 0 && (
                <>
                  <th scope="rowgroup" rowSpan={edge.ways.length}>
                    <button
                      type="button"
                      className={styles['link']}
                      {...edgeData(edge)}
                      aria-pressed={chosen === edge.key}
                      onClick={() => selectEdge(edge.key)}
                    >
                      {isState(edge.from) ? <StateMark state={edge.from} /> : wordOf(edge.from)}
                      <span className="visually-hidden"> to {wordOf(edge.to)}</span>
                    </button>
                  </th>
                  <td rowSpan={edge.ways.length}>
                    {isLoop(edge) ? (
                      'stays'
                    ) : isState(edge.to) ? (
                      <StateMark state={edge.to} />
                    ) : (
                      wordOf(edge.to)
                    )}
                  </td>
                  <td rowSpan={edge.ways.length} className="number">
                    {isLoop(edge) ? '' : rate(edgeRate(flow, edge))}
                  </td>
                </>
              )}
              <td className="mono">{event}</td>
              <td className="mono">{guards.join(' ∧ ')}</td>
              <td className="mono">{actions.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  </div>
)
