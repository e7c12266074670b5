import type { TraceStep } from '@kiroku/audit'
import { machineGraph } from '@kiroku/message'
import { StateShape, stateWords, type StateName } from '../../parts/StateMark.tsx'
import styles from './MachinePath.module.css'

/** Where each state stands; its box is 96 × 28. What leads where comes from the machine. */
const places: Readonly<Record<StateName, readonly [x: number, y: number]>> = {
  Held: [0, 4],
  Delayed: [0, 64],
  Available: [130, 34],
  Inflight: [260, 34],
  WaitingRetry: [195, 100],
  Committed: [390, 4],
  DLQ: [390, 64],
  Discarded: [195, 160],
}
const names = Object.keys(places) as StateName[]
const [boxWidth, boxHeight] = [100, 28]

const { nodes, edges } = machineGraph()
/** From where to where; what a group allows, each of its states allows. */
const ways = new Set(
  edges.flatMap(({ from, to }) => {
    const children = nodes.filter(({ parent }) => parent === from).map(({ name }) => name)
    return (children.length > 0 ? children : [from]).map((name) => `${name} ${to}`)
  }),
)

/** How often each way was taken up to an event. */
const takenUpTo = (steps: readonly TraceStep[], selected: number): ReadonlyMap<string, number> => {
  const taken = new Map<string, number>()
  const states = new Map<string, StateName>()
  for (const step of steps.slice(0, selected + 1)) {
    if (step.voided === true) continue
    const place = `${step.partition}/${step.queue}/${step.number}`
    const before = states.get(`${place}/${step.subscription ?? ''}`) ?? states.get(`${place}/`)
    if (before !== undefined && before !== step.state) {
      const way = `${before} ${step.state}`
      taken.set(way, (taken.get(way) ?? 0) + 1)
    }
    states.set(`${place}/${step.subscription ?? ''}`, step.state)
  }
  return taken
}

/** The machine, with the way that a message took through it up to an event, and the state that it has then. */
export const MachinePath = ({
  steps,
  selected,
}: {
  readonly steps: readonly TraceStep[]
  readonly selected: number
}) => {
  const taken = takenUpTo(steps, selected)
  const now = steps[selected]?.state
  const seen = new Set(steps.slice(0, selected + 1).map(({ state }) => state))
  const all = new Set([...ways, ...taken.keys()])
  return (
    <svg
      className={styles['machine']}
      viewBox="-2 0 496 192"
      role="img"
      aria-label={`The message machine; after this event the message is ${now === undefined ? 'nowhere' : stateWords[now]}`}
    >
      {[...all].map((way) => {
        const [from, to] = way.split(' ') as [StateName, StateName]
        const times = taken.get(way)
        if (places[from] === undefined || places[to] === undefined || from === to) return null
        const [[x1, y1], [x2, y2]] = [places[from], places[to]]
        return (
          <line
            key={way}
            x1={x1 + boxWidth / 2}
            y1={y1 + boxHeight / 2}
            x2={x2 + boxWidth / 2}
            y2={y2 + boxHeight / 2}
            className={styles['way']}
            data-taken={times !== undefined}
            strokeWidth={times === undefined ? 1 : Math.min(6, 1.5 + Math.log2(times + 1))}
          />
        )
      })}
      {names.map((state) => {
        const [x, y] = places[state]
        return (
          <g
            key={state}
            transform={`translate(${x} ${y})`}
            className={styles['state']}
            data-now={state === now}
            data-seen={seen.has(state)}
          >
            <rect width={boxWidth} height={boxHeight} rx="7" />
            <g transform="translate(7 7)">
              <StateShape state={state} size={14} />
            </g>
            <text x="26" y="18.5">
              {stateWords[state]}
            </text>
          </g>
        )
      })}
    </svg>
  )
}
