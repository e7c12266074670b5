import type { EdgeProps } from '@xyflow/react'
import { memo } from 'react'
import { stateColour } from '../../parts/StateMark.tsx'
import { chart, isState, type ChartEdge } from '../../chart/chart.ts'
import { useChoice } from './ChartContext.ts'
import styles from './FlowEdge.module.css'
import { routes, type Point } from '../../chart/layout.ts'
import { headOf, pathOf } from '../../chart/path.ts'
import { edgeRate, hasFlow } from './Standing.ts'
import { useFromStanding } from './StandingStore.ts'

const edges = new Map(chart.edges.map((edge) => [edge.key, edge]))

/** Thickness of an unused line, in px. */
const unusedPx = 1.25

/** Whether an edge is under the pointer, or begins or ends there. */
const isBeside = ({ key, from, to }: ChartEdge, what: string | undefined): boolean =>
  what !== undefined && (what === key || what === from || what === to)

/** Whether it is on the happy path. */
const isMain = ({ key }: ChartEdge): boolean => key === 'Available→Inflight' || key === 'Inflight→Committed'

/** Thickness of a line by messages per second, in px. */
const thickness = (perSecond: number): number =>
  perSecond === 0 ? unusedPx : Math.round(10 * Math.min(6, 1.6 + Math.log10(1 + perSecond))) / 10

/** A line with the head of an arrow. */
export const Line = ({
  points,
  width,
  colour,
}: {
  readonly points: readonly Point[]
  readonly width: number
  readonly colour: string | undefined
}) => (
  <g
    className={styles['line']}
    data-flows={width > 1.25}
    style={colour === undefined ? {} : { color: colour }}
  >
    <path d={pathOf(points)} strokeWidth={width} fill="none" stroke="currentColor" />
    <path d={headOf(points, width)} fill="currentColor" />
  </g>
)

/** An edge of the machine, the thicker the more messages take it. */
export const FlowEdge = memo(({ id }: EdgeProps) => {
  const { chosen, hovered, hover } = useChoice()
  const edge = edges.get(id)!
  const { points } = routes[id]!
  const flows = useFromStanding(hasFlow)
  const width = useFromStanding(({ flow }) => thickness(edgeRate(flow, edge)))
  return (
    <g
      className={styles['edge']}
      data-chosen={chosen === id}
      data-beside={isBeside(edge, chosen) || isBeside(edge, hovered)}
      data-unused={flows && width === unusedPx && !isMain(edge)}
      onPointerEnter={() => hover?.(id)}
      onPointerLeave={() => hover?.(undefined)}
    >
      <path className={styles['wide']} d={pathOf(points)} />
      <Line points={points} width={width} colour={isState(edge.to) ? stateColour(edge.to) : undefined} />
    </g>
  )
})
