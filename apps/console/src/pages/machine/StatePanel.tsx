import { Link } from '@tanstack/react-router'
import { useMoment, useScope } from '../../data/moment.ts'
import { StateMark } from '../../parts/StateMark.tsx'
import { count, duration, rate } from '../../parts/format.ts'
import {
  chart,
  edgeText,
  eventsOf,
  isLoop,
  isState,
  leavesOf,
  searchOfState,
  wordOf,
} from '../../chart/chart.ts'
import type { ChartChoice } from './ChartContext.ts'
import { Panel } from './Panel.tsx'
import styles from './Panel.module.css'
import { countIn, edgeRate, hasFlow, liveStates, rateInto, rateOutOf, type Standing } from './Standing.ts'
import type { QueueInfo } from '../../data/queueInfos.ts'

/** Most queues listed. */
const queuesMax = 8

/** A state or a group: its meaning, its messages, its ways out. */
export const StatePanel = ({
  name,
  standing,
  queues,
  warning,
  choice,
  onClose,
}: {
  readonly name: string
  readonly standing: Standing
  readonly queues: readonly QueueInfo[]
  readonly warning: string | undefined
  readonly choice: ChartChoice
  readonly onClose: () => void
}) => {
  const { population, flow, queuesIn } = standing
  const flows = hasFlow(standing)
  const { at } = useMoment()
  const { queue: scope } = useScope()
  const { description, kind } = chart.nodes.find((node) => node.name === name)!
  const states = leavesOf(chart.nodes, name).filter(isState)
  const isLive = states.some((state) => liveStates.includes(state))
  const all = countIn(population, states)
  const shares = queuesIn(states).filter(({ queue }) => scope === undefined || queue === scope)
  const ages = new Map(queues.map((queue) => [queue.name, queue.oldestAgeMs]))
  const out = chart.edges.filter(({ from }) => from === name || (kind === 'group' && isOutOf(name, from)))
  const search = (queue: string | undefined): never =>
    ({ q: searchOfState(name, queue), at, queue: scope }) as never
  return (
    <Panel
      label={wordOf(name)}
      title={isState(name) ? <StateMark state={name} /> : wordOf(name)}
      onClose={onClose}
    >
      <p>{description}</p>
      {warning !== undefined && <p className={styles['warning']}>Near limit: {warning}.</p>}
      <dl className={styles['facts']}>
        <div>
          <dt>Messages</dt>
          <dd>{count(all)}</dd>
        </div>
        {flows && (
          <>
            <div>
              <dt>In</dt>
              <dd>{rate(rateInto(flow, states))}</dd>
            </div>
            <div>
              <dt>Out</dt>
              <dd>{kind === 'final' ? '–' : rate(rateOutOf(flow, states))}</dd>
            </div>
          </>
        )}
      </dl>
      <section>
        <h3>
          {shares.length > queuesMax ? `Most in ${queuesMax} of ${count(shares.length)} queues` : 'By queue'}
          {isLive && ages.size > 0 && ', with the age of its oldest live message'}
        </h3>
        {shares.length === 0 && <p className="quiet">None in any queue.</p>}
        <ul className={styles['queues']}>
          {shares.slice(0, queuesMax).map((share) => (
            <li key={share.queue} style={{ '--share': share.count / all } as object}>
              <Link to="/messages" search={search(share.queue)}>
                {share.queue}
              </Link>
              <span className="quiet">
                {isLive && ages.has(share.queue) ? duration(ages.get(share.queue)!) : ''}
              </span>
              <span className="number">{count(share.count)}</span>
            </li>
          ))}
        </ul>
      </section>
      <Link className="button" to="/messages" search={search(scope)}>
        Show these messages
      </Link>
      {out.length > 0 && (
        <section>
          <h3>Ways out</h3>
          <ul>
            {out.map((edge) => (
              <li key={edge.key}>
                <button
                  type="button"
                  className={styles['plain']}
                  title={eventsOf(edge).join(', ')}
                  onClick={() => choice.selectEdge(edge.key)}
                >
                  <span>
                    {kind === 'group' && edge.from !== name && (
                      <span className="quiet">{wordOf(edge.from)} </span>
                    )}
                    → {isLoop(edge) ? 'stays where it is' : wordOf(edge.to)}
                  </span>
                  <span className="quiet">
                    {isLoop(edge) || !flows ? edgeText(edge) : rate(edgeRate(flow, edge))}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Panel>
  )
}

const isOutOf = (group: string, from: string): boolean => leavesOf(chart.nodes, group).includes(from)
