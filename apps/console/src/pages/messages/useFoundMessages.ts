import { useCallback, useEffect, useRef, useState } from 'react'
import { get, type Params } from '../../data/api.ts'
import type { FoundMessage, Reached } from './FoundMessage.ts'

/** Rows that are loaded at most: a filter says more than a longer list. */
export const foundMax = 100_000
const pageSize = 500

/** A page of an answer. */
interface Page {
  readonly rows: readonly FoundMessage[]
  readonly cursor?: string
  readonly reached?: readonly Reached[]
  /** The total, if known. */
  readonly total?: number
  readonly bodiesNotIndexed?: readonly string[]
}

/** Rows so far. */
interface Found extends Omit<Page, 'cursor'> {
  readonly isLoading: boolean
  readonly error?: unknown
  /** Whether there are more. */
  readonly hasMore: boolean
}

/** Rows so far, and how there are more. */
export interface FoundMessages extends Found {
  /** Loads the next page. */
  readonly more: () => void
  /** Asks from the start. */
  readonly again: () => void
}

/** A paged request. */
export interface Question {
  /** Undefined: nothing is fetched. */
  readonly path: string | undefined
  readonly params: Params
  readonly pageOf: (answer: unknown) => Page
  /** Name of the cursor parameter. */
  readonly cursor: string
}

interface Progress {
  cursor: string | undefined
  rows: FoundMessage[]
  abort: AbortController | undefined
}

const nothing: Found = { rows: [], isLoading: false, hasMore: false }

/**
 * A paged answer: `more` loads the next page. It is refetched when the request changes, or by `again`; the
 * rows stay until the new ones arrive.
 */
export const useFoundMessages = (question: Question): FoundMessages => {
  const [found, setFound] = useState<Found>(nothing)
  const progress = useRef<Progress>({ cursor: undefined, rows: [], abort: undefined })
  const latest = useRef(question)
  latest.current = question
  const load = useCallback(async (isFirst: boolean) => {
    const { path, params, pageOf, cursor } = latest.current
    const own = progress.current
    if (!isFirst && (own.abort !== undefined || own.cursor === undefined)) return
    own.abort?.abort()
    if (path === undefined) return setFound(nothing)
    const abort = (own.abort = new AbortController())
    setFound((before) => ({ ...before, isLoading: true }))
    try {
      let rows = isFirst ? [] : own.rows
      const wanted = Math.min(rows.length + pageSize, foundMax)
      // An answer holds fewer messages, or none, when it takes long to find them.
      for (let next = isFirst ? undefined : own.cursor; own.abort === abort;) {
        const at = next === undefined ? {} : { [cursor]: next }
        const limit = wanted - rows.length
        const page = pageOf(await get<unknown>(path, { ...params, ...at, limit }, abort.signal))
        if (abort.signal.aborted) return
        own.rows = rows = rows.concat(page.rows)
        next = own.cursor = rows.length < foundMax ? page.cursor : undefined
        const isLoading = next !== undefined && rows.length < wanted
        if (!isLoading) own.abort = undefined
        setFound({ ...page, rows, isLoading, hasMore: next !== undefined })
      }
    } catch (error) {
      if (abort.signal.aborted) return
      own.abort = undefined
      own.cursor = undefined
      setFound((before) => ({ ...before, isLoading: false, error, hasMore: false }))
    }
  }, [])
  const key = JSON.stringify([question.path, question.params])
  useEffect(() => {
    const own = progress.current
    void load(true)
    return () => own.abort?.abort()
  }, [key, load])
  return {
    ...found,
    more: useCallback(() => void load(false), [load]),
    again: useCallback(() => void load(true), [load]),
  }
}
