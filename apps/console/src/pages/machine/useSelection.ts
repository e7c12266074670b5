import { useCallback, useMemo } from 'react'
import { usePageSearch } from '../../data/pageSearch.ts'
import { chart, type ChartEdge } from '../../chart/chart.ts'

/** The selection: a state or a group, or an edge. */
export type Selection =
  | { readonly kind: 'state'; readonly name: string }
  | { readonly kind: 'edge'; readonly edge: ChartEdge }
  | undefined

/** What the URL says to look at closely, whether as a table, and how to change that. */
export const useSelection = () => {
  const { search, setSearch } = usePageSearch()
  const { state, edge: key, view } = search
  const selection = useMemo((): Selection => {
    const edge = chart.edges.find((each) => each.key === key)
    if (edge !== undefined) return { kind: 'edge', edge }
    return chart.nodes.some(({ name }) => name === state) ? { kind: 'state', name: state! } : undefined
  }, [state, key])
  return {
    selection,
    isTable: view === 'table',
    selectState: useCallback((name: string) => setSearch({ state: name, edge: undefined }), [setSearch]),
    selectEdge: useCallback((name: string) => setSearch({ state: undefined, edge: name }), [setSearch]),
    clear: useCallback(() => setSearch({ state: undefined, edge: undefined }), [setSearch]),
    showTable: useCallback(
      (isTable: boolean) => setSearch({ view: isTable ? 'table' : undefined }, { replace: true }),
      [setSearch],
    ),
  }
}
