import type { TraceStep } from '@kiroku/audit'
import { chart, isState } from '../../chart/chart.ts'
import { boxes, extent, routes, type Box } from '../../chart/layout.ts'
import { headOf, pathOf } from '../../chart/path.ts'
import { StateShape, stateWords, type StateName } from '../../parts/StateMark.tsx'
import styles from './MachinePath.module.css'

/** The edge that shows a transition. */
const edgeOf = new Map(
  chart.edges.flatMap(({ key, counted }) => counted.map((transition) => [transition, key] as const)),
)
const names = chart.nodes.map(({ name }) => name).filter(isState)
const iconSize = 34
const thicknessMax = 12

/** How often each transition was taken up to an event. */
const takenUpTo = (steps: readonly TraceStep[], selected: number): ReadonlyMap<string, number> => {
  const taken = new Map<string, number>()
  const states = new Map<string, StateName>()
  for (const step of steps.slice(0, selected + 1)) {
    if (step.voided === true) continue
    const place = `${step.partition}/${step.queue}/${step.number}`
    const before = states.get(`${place}/${step.subscription ?? ''}`) ?? states.get(`${place}/`)
    if (before !== undefined && before !== step.state) {
      const edge = edgeOf.get(`${before}→${step.state}`)
      if (edge !== undefined) taken.set(edge, (taken.get(edge) ?? 0) + 1)
    }
    states.set(`${place}/${step.subscription ?? ''}`, step.state)
  }
  return taken
}

/** The machine, with a message's path up to an event, and its state then. */
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
  // Taken edges are drawn above the others.
  const edges = chart.edges.toSorted((a, b) => (taken.get(a.key) ?? 0) - (taken.get(b.key) ?? 0))
  return (
    <svg
      className={styles['machine']}
      viewBox={`40 -8 ${extent.width - 20} ${extent.height + 20}`}
      role="img"
      aria-label={`The message machine; after this event the message is ${now === undefined ? 'nowhere' : stateWords[now]}`}
    >
      <Rim box={boxes['Ready']!} className={styles['group']} />
      {edges.map(({ key }) => {
        const times = taken.get(key) ?? 0
        const thickness = times === 0 ? 2 : Math.min(thicknessMax, 5 + 2 * Math.log2(times))
        const { points } = routes[key]!
        return (
          <g key={key} className={styles['way']} data-way={key} data-taken={times}>
            <path d={pathOf(points)} strokeWidth={thickness} />
            <path d={headOf(points, thickness)} className={styles['head']} />
          </g>
        )
      })}
      {names.map((name) => {
        const { x, y, width, height } = boxes[name]!
        return (
          <g key={name} className={styles['state']} data-now={name === now} data-seen={seen.has(name)}>
            <Rim box={boxes[name]!} />
            <g transform={`translate(${x + (width - iconSize) / 2} ${y + 10})`}>
              <StateShape state={name} size={iconSize} />
            </g>
            <text x={x + width / 2} y={y + height - 16}>
              {stateWords[name]}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

const Rim = ({ box, className }: { readonly box: Box; readonly className?: string | undefined }) => (
  <rect {...box} rx="16" className={className} />
)
