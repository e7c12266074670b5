import { createContext, useContext } from 'react'

/** What is chosen on the chart, and how to choose. */
export interface ChartChoice {
  /** What the pointer is on, in the same way. */
  readonly hovered?: string | undefined
  readonly hover?: (what: string | undefined) => void
  /** Name of a state, or key of an edge. */
  readonly chosen: string | undefined
  readonly selectState: (name: string) => void
  readonly selectEdge: (key: string) => void
  /** States with a limit that is near, and what is near. */
  readonly warnings: ReadonlyMap<string, string>
}

/** The choice on the chart that this stands in. */
export const ChartContext = createContext<ChartChoice>({
  chosen: undefined,
  selectState: () => {},
  selectEdge: () => {},
  warnings: new Map(),
})

/** The choice on the chart that this stands in. */
export const useChoice = (): ChartChoice => useContext(ChartContext)
