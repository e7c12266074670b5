import { Link } from '@tanstack/react-router'
import { useMoment, useScope } from '../../data/moment.ts'
import { rate } from '../../parts/format.ts'
import {
  chart,
  choicesOf,
  eventsOf,
  isLoop,
  searchOfEdge,
  wordOf,
  type ChartEdge,
} from '../../chart/chart.ts'
import type { ChartChoice } from './ChartContext.ts'
import { Panel } from './Panel.tsx'
import styles from './Panel.module.css'
import { edgeRate, hasFlow, type Standing } from './Standing.ts'

/** An edge: the events that take it, what must hold for each, what they change. */
export const EdgePanel = ({
  edge,
  standing,
  choice,
  onClose,
}: {
  readonly edge: ChartEdge
  readonly standing: Standing
  readonly choice: ChartChoice
  readonly onClose: () => void
}) => {
  const { at } = useMoment()
  const { queue } = useScope()
  const { from, to } = edge
  const title = isLoop(edge) ? `${wordOf(from)}, stays` : `${wordOf(from)} → ${wordOf(to)}`
  const search = searchOfEdge(edge, queue)
  return (
    <Panel label={title} title={title} onClose={onClose}>
      {isLoop(edge) ? (
        <p className="quiet">Changes the message but not its state; not counted.</p>
      ) : edge.counted.length === 0 ? (
        <p className="quiet">
          From every state of {wordOf(from)}. Messages are counted at the edges of the states inside.
        </p>
      ) : (
        hasFlow(standing) && (
          <dl className={styles['facts']}>
            <div>
              <dt>Now</dt>
              <dd>{rate(edgeRate(standing.flow, edge))}</dd>
            </div>
          </dl>
        )
      )}
      {eventsOf(edge).map((event) => {
        const choices = choicesOf(chart, from, event)
        return (
          <section key={event}>
            <h3>
              <code>{event}</code>
              {choices.length > 1 && ' takes the first whose guards all hold'}
            </h3>
            <ol className={styles['choices']}>
              {choices.map((way, i) => (
                <li key={way.guards.join(' ')} data-this={way.to === to} aria-current={way.to === to}>
                  <span>{i + 1}</span>
                  <div>
                    <p>
                      {way.guards.length === 0 ? (choices.length > 1 ? 'otherwise' : 'always') : null}
                      {way.guards.length > 0 && <code>{way.guards.join(' ∧ ')}</code>}
                    </p>
                    <p>
                      → {wordOf(way.to)}
                      {way.actions.length > 0 && (
                        <span>
                          and{' '}
                          {way.actions.map((each) => (
                            <code key={each}>{each}</code>
                          ))}
                        </span>
                      )}
                    </p>
                  </div>
                </li>
              ))}
            </ol>
          </section>
        )
      })}
      {search !== undefined && (
        <Link className="button" to="/messages" search={{ q: search, at, queue } as never} title={search}>
          Show these messages
        </Link>
      )}
      <button type="button" className={styles['plain']} onClick={() => choice.selectState(from)}>
        All of {wordOf(from)}
      </button>
    </Panel>
  )
}
