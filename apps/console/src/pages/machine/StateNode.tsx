import { Handle, Position, type NodeProps } from '@xyflow/react'
import { memo } from 'react'
import { meanings, StateShape, stateColour } from '../../parts/StateMark.tsx'
import { count, deadLetters, rate, shortCount } from '../../parts/format.ts'
import { chart, isState, leavesOf, wordOf } from '../../chart/chart.ts'
import { useChoice } from './ChartContext.ts'
import styles from './StateNode.module.css'
import { countIn, hasFlow, isKnown, rateInto, rateOutOf, shareOf } from './Standing.ts'
import { useFromStanding } from './StandingStore.ts'

const statesOf = new Map(chart.nodes.map(({ name }) => [name, leavesOf(chart.nodes, name).filter(isState)]))

/** Anchors of the edges, which are drawn by their own paths. */
const Fastening = () => (
  <>
    <Handle type="source" position={Position.Right} isConnectable={false} className={styles['handle']} />
    <Handle type="target" position={Position.Left} isConnectable={false} className={styles['handle']} />
  </>
)

const spoken = (name: string, number: number, isSure: boolean): string =>
  isSure ? `${wordOf(name)}, ${count(number)} ${number === 1 ? 'message' : 'messages'}` : wordOf(name)

const shortened = (n: number): string => (n < 10_000_000 ? count(n) : shortCount(n))

/** A state with its messages; dead letters, which are in their own queues, apart. */
export const StateNode = memo(({ id: name }: NodeProps) => {
  const { chosen, hover, selectState, warnings } = useChoice()
  const states = statesOf.get(name)!
  const number = useFromStanding(({ population }) => countIn(population, states))
  const letters = useFromStanding((standing) => countIn(standing.letters, states))
  const share = useFromStanding(({ population }) => Math.round(shareOf(population, states) * 1_000) / 1_000)
  const into = useFromStanding(({ flow }) => rate(rateInto(flow, states)))
  const outOf = useFromStanding(({ flow }) => rate(rateOutOf(flow, states)))
  const isSure = useFromStanding(isKnown)
  const flows = useFromStanding(hasFlow)
  const isFinal = chart.nodes.find((node) => node.name === name)!.kind === 'final'
  // Only transactions use it, which few queues have.
  const isRare = name === 'Held'
  const warning = warnings.get(name)
  return (
    <>
      <Fastening />
      <button
        type="button"
        className={`${styles['state']} nopan`}
        data-state={name}
        data-count={isSure ? number : undefined}
        data-final={isFinal}
        data-unused={isRare && flows && number === 0 && into === '0/s'}
        onPointerEnter={() => hover?.(name)}
        onPointerLeave={() => hover?.(undefined)}
        title={meanings[name]}
        data-warning={warning !== undefined}
        aria-pressed={chosen === name}
        style={{ '--colour': stateColour(states[0]!), '--share': share } as object}
        onClick={() => selectState(name)}
      >
        <span className="visually-hidden">
          {spoken(name, number - letters, isSure)}
          {letters > 0 && `, and ${deadLetters(letters)}`}
          {warning !== undefined && `, ${warning}`}
        </span>
        <span className={styles['name']} aria-hidden="true">
          <StateShape state={states[0]!} size={16} />
          {wordOf(name)}
          {warning !== undefined && <span className={styles['warning']}>near limit</span>}
        </span>
        <span className={styles['count']} data-quiet={number - letters === 0} aria-hidden="true">
          {isSure ? shortened(number - letters) : '–'}
          {letters > 0 && <span className={styles['letters']}>+{shortCount(letters)} dead</span>}
        </span>
        <span className={styles['rates']} aria-hidden="true">
          {flows && <span data-zero={into === '0/s'}>→ {into}</span>}
          {flows && !isFinal && <span data-zero={outOf === '0/s'}>{outOf} →</span>}
        </span>
        <span className={styles['share']} />
      </button>
    </>
  )
})

/** A group of states. */
export const GroupNode = memo(({ id: name }: NodeProps) => {
  const { chosen, selectState } = useChoice()
  const states = statesOf.get(name)!
  const number = useFromStanding(({ population }) => countIn(population, states))
  const letters = useFromStanding((standing) => countIn(standing.letters, states))
  const isSure = useFromStanding(isKnown)
  return (
    <div className={styles['group']} data-chosen={chosen === name}>
      <Fastening />
      <button
        type="button"
        className={`${styles['title']} nopan`}
        data-state={name}
        data-count={isSure ? number : undefined}
        aria-pressed={chosen === name}
        onClick={() => selectState(name)}
      >
        <span className="visually-hidden">{spoken(name, number - letters, isSure)}</span>
        <span aria-hidden="true">{wordOf(name)}</span>
        <span className={styles['sum']} aria-hidden="true">
          {isSure ? count(number - letters) : '–'}
        </span>
      </button>
    </div>
  )
})
