import { ViewportPortal } from '@xyflow/react'
import { memo } from 'react'
import { rate } from '../../parts/format.ts'
import {
  chart,
  edgeData,
  edgeText,
  eventsOf,
  isLoop,
  wayText,
  wordOf,
  type ChartEdge,
} from '../../chart/chart.ts'
import { useChoice } from './ChartContext.ts'
import { Line } from './FlowEdge.tsx'
import { entry, entryRoute, extent, routes } from '../../chart/layout.ts'
import styles from './EdgeWords.module.css'
import { edgeRate, hasFlow, isNew, rateOf } from './Standing.ts'
import { useFromStanding } from './StandingStore.ts'

const EdgeWord = memo(({ edge }: { readonly edge: ChartEdge }) => {
  const { chosen, hover, selectEdge } = useChoice()
  const perSecond = useFromStanding(({ flow }) => rate(edgeRate(flow, edge)))
  const { x, y } = routes[edge.key]!.label
  const flows = perSecond !== '0/s'
  return (
    <button
      type="button"
      className={`${styles['word']} nopan`}
      style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
      {...edgeData(edge)}
      data-flows={flows}
      onPointerEnter={() => hover?.(edge.key)}
      onPointerLeave={() => hover?.(undefined)}
      title={eventsOf(edge).join(', ')}
      aria-pressed={chosen === edge.key}
      onClick={() => selectEdge(edge.key)}
    >
      <span className="visually-hidden">
        {`${wordOf(edge.from)} to ${wordOf(edge.to)}${isLoop(edge) ? '' : `, ${perSecond}`}: ${edge.ways.map(wayText).join('; ')}`}
      </span>
      {flows && <strong aria-hidden="true">{perSecond}</strong>}
      <span className={styles['events']} aria-hidden="true">
        {edgeText(edge)}
      </span>
    </button>
  )
})

const Entry = () => {
  const flows = useFromStanding(hasFlow)
  const perSecond = useFromStanding(({ flow }) => rate(rateOf(flow, isNew)))
  return (
    <>
      <svg className={styles['entry']} width={extent.width} height={extent.height} aria-hidden="true">
        <circle cx={entry.x + entry.width / 2} cy={432} r={7} fill="var(--line-strong)" />
        <Line points={entryRoute.points} width={perSecond === '0/s' ? 1.25 : 2} colour={undefined} />
      </svg>
      <p
        className={styles['sent']}
        style={{
          transform: `translate(-50%, -50%) translate(${entryRoute.label.x}px, ${entryRoute.label.y}px)`,
        }}
        data-entry="Ready"
      >
        sent
        {flows && <strong>{perSecond}</strong>}
      </p>
    </>
  )
}

/** The selectable labels on the edges; after the states in tab order. */
export const EdgeWords = () => (
  <ViewportPortal>
    <Entry />
    {chart.edges.map((edge) => (
      <EdgeWord key={edge.key} edge={edge} />
    ))}
  </ViewportPortal>
)
