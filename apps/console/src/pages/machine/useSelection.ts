import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { chart, type ChartEdge } from './chart.ts'

/** What is looked at closely: a state or a group, or an edge. */
export type Selection =
  | { readonly kind: 'state'; readonly name: string }
  | { readonly kind: 'edge'; readonly edge: ChartEdge }
  | undefined

interface Search {
  readonly state?: string | undefined
  readonly edge?: string | undefined
  readonly view?: string | undefined
}

/** What the URL says to look at closely, whether as a table, and how to change that. */
export const useSelection = () => {
  const { state, edge: key, view } = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const change = useCallback(
    (next: Search, replace = false) => {
      void navigate({ to: '.', replace, search: ((before: object) => ({ ...before, ...next })) as never })
    },
    [navigate],
  )
  const selection = useMemo((): Selection => {
    const edge = chart.edges.find((each) => each.key === key)
    if (edge !== undefined) return { kind: 'edge', edge }
    return chart.nodes.some(({ name }) => name === state) ? { kind: 'state', name: state! } : undefined
  }, [state, key])
  return {
    selection,
    isTable: view === 'table',
    selectState: useCallback((name: string) => change({ state: name, edge: undefined }), [change]),
    selectEdge: useCallback((name: string) => change({ state: undefined, edge: name }), [change]),
    clear: useCallback(() => change({ state: undefined, edge: undefined }), [change]),
    showTable: useCallback(
      (isTable: boolean) => change({ view: isTable ? 'table' : undefined }, true),
      [change],
    ),
  }
}
