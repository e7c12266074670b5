import { createContext, useContext } from 'react'

/** What is chosen on the chart, and how to choose. */
export interface ChartChoice {
  /** What the pointer is on, likewise. */
  readonly hovered?: string | undefined
  readonly hover?: (what: string | undefined) => void
  /** Name of a state, or key of an edge. */
  readonly chosen: string | undefined
  readonly selectState: (name: string) => void
  readonly selectEdge: (key: string) => void
  /** States near a limit, with the warning. */
  readonly warnings: ReadonlyMap<string, string>
}

/** The selection of the enclosing chart. */
export const ChartContext = createContext<ChartChoice>({
  chosen: undefined,
  selectState: () => {},
  selectEdge: () => {},
  warnings: new Map(),
})

/** The selection of the enclosing chart. */
export const useChoice = (): ChartChoice => useContext(ChartContext)
