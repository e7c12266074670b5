import { Panel, useReactFlow } from '@xyflow/react'
import styles from './MachineChart.module.css'

/** Zoom in, zoom out, fit. */
export const ChartButtons = () => {
  const { zoomIn, zoomOut, fitView } = useReactFlow()
  return (
    <Panel position="bottom-left" className={styles['buttons']!}>
      <button type="button" className="button small" aria-label="Nearer" onClick={() => void zoomIn()}>
        +
      </button>
      <button type="button" className="button small" aria-label="Farther" onClick={() => void zoomOut()}>
        −
      </button>
      <button type="button" className="button small" onClick={() => void fitView({ padding: 0.02 })}>
        Fit
      </button>
    </Panel>
  )
}
