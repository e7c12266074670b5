import '@xyflow/react/dist/base.css'
import { ReactFlow, ReactFlowProvider, useStore, type Edge, type Node } from '@xyflow/react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { chart } from '../../chart/chart.ts'
import { ChartButtons } from './ChartButtons.tsx'
import { ChartContext, type ChartChoice } from './ChartContext.ts'
import { EdgeWords } from './EdgeWords.tsx'
import { FlowEdge } from './FlowEdge.tsx'
import { boxes, extent } from '../../chart/layout.ts'
import styles from './MachineChart.module.css'
import type { Standing } from './Standing.ts'
import { GroupNode, StateNode } from './StateNode.tsx'
import { StandingContext, StandingStore } from './StandingStore.ts'
import { Tokens } from './Tokens.tsx'
import { useArrows } from './useArrows.ts'

const nodes: Node[] = chart.nodes.map(({ name, kind }) => ({
  id: name,
  type: kind === 'group' ? 'states' : 'state',
  position: boxes[name]!,
  width: boxes[name]!.width,
  height: boxes[name]!.height,
  zIndex: kind === 'group' ? -1 : 1,
  data: {},
}))

const edges: Edge[] = chart.edges.map(({ key, from, to }) => ({
  id: key,
  type: 'flow',
  source: from,
  target: to,
  focusable: false,
}))

const nodeTypes = { state: StateNode, states: GroupNode }
const edgeTypes = { flow: FlowEdge }
/** Below this scale names and counts are drawn larger, and everything else is left out. */
const farScale = 0.6
const fit = { padding: 0.02, minZoom: 0.2, maxZoom: 1.15 }

/** Fits the chart again when its size changes. */
const Fitted = () => {
  const [width, height] = [useStore((s) => s.width), useStore((s) => s.height)]
  const panZoom = useStore((s) => s.panZoom)
  useEffect(() => {
    if (panZoom === null || width === 0 || height === 0) return
    // From far away the states are drawn larger than they are, also those at the rim.
    const margin = width < extent.width * farScale ? 20 : 48
    const zoom = Math.min(fit.maxZoom, (width - margin) / extent.width, (height - margin) / extent.height)
    void panZoom.setViewport({
      x: (width - extent.width * zoom) / 2,
      y: Math.max(4, (height - extent.height * zoom) / 2),
      zoom,
    })
  }, [panZoom, width, height])
  return null
}

const Canvas = ({ choice, moves, isDim }: { choice: ChartChoice; moves: boolean; isDim: boolean }) => {
  const [hovered, hover] = useState<string>()
  const pointed = useMemo(() => ({ ...choice, hovered, hover }), [choice, hovered])
  const isFar = useStore((s) => s.transform[2] < farScale)
  const ref = useRef<HTMLDivElement>(null)
  useArrows(ref)
  return (
    <ChartContext value={pointed}>
      <div
        ref={ref}
        className={styles['canvas']}
        data-far={isFar}
        data-dim={isDim}
        data-chosen={choice.chosen !== undefined}
      >
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          minZoom={fit.minZoom}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          zoomOnScroll={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          zoomActivationKeyCode={null}
          panActivationKeyCode={null}
          disableKeyboardA11y
          onEdgeClick={(_, { id }) => choice.selectEdge(id)}
          // Its licence requires no mark on the picture; the help sheet credits it.
          proOptions={{ hideAttribution: true }}
          aria-label="The message machine"
        >
          <EdgeWords />
          {moves && <Tokens />}
          <Fitted />
          <ChartButtons />
        </ReactFlow>
      </div>
    </ChartContext>
  )
}

/** The message machine, as it is defined, with the messages that are in it. */
export const MachineChart = ({
  standing,
  choice,
  moves,
  isDim,
}: {
  readonly standing: Standing
  readonly choice: ChartChoice
  /** Whether tokens travel. */
  readonly moves: boolean
  /** Whether what is shown is stale. */
  readonly isDim: boolean
}) => {
  const [store] = useState(() => new StandingStore(standing))
  // Before anything is painted: the counts on the chart and those above it are of one moment.
  useLayoutEffect(() => store.set(standing), [store, standing])
  return (
    <StandingContext value={store}>
      <ReactFlowProvider>
        <Canvas choice={choice} moves={moves} isDim={isDim} />
      </ReactFlowProvider>
    </StandingContext>
  )
}
