import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** What every page's URL can hold. */
export interface SharedSearch {
  /** The chosen moment, in the API's form: a time, a sequence, partition/sequence. Absent: now. */
  readonly at?: string
  /** The chosen queue. Absent: all. */
  readonly queue?: string
}

/** Reads them from a URL. */
export const sharedSearch = (search: Record<string, unknown>): SharedSearch => ({
  ...textOf('at', search['at']),
  ...textOf('queue', search['queue']),
})

const textOf = (name: string, value: unknown): object =>
  typeof value === 'string' && value !== ''
    ? { [name]: value }
    : typeof value === 'number'
      ? { [name]: String(value) }
      : {}

/** How to go to a moment. */
interface MomentMove {
  /** Whether going back skips the previous moment. */
  readonly replace?: boolean
  /** Goes only if this is still chosen. */
  readonly ifAt?: string
}

/** The chosen moment, and how to choose another; `undefined` is now. */
export const useMoment = (): {
  readonly at: string | undefined
  readonly setAt: (at: string | undefined, move?: MomentMove) => void
} => {
  const { at } = useSearch({ strict: false }) as SharedSearch
  const navigate = useNavigate()
  const setAt = useCallback(
    (next: string | undefined, { replace = false, ifAt }: MomentMove = {}) => {
      const search = (before: SharedSearch): SharedSearch =>
        ifAt === undefined || sharedSearch({ ...before }).at === ifAt
          ? ({ ...before, at: next } as SharedSearch)
          : before
      void navigate({ to: '.', replace, search: search as never })
    },
    [navigate],
  )
  return { at, setAt }
}

/** The chosen queue, and how to choose another; `undefined` is all. */
export const useScope = (): {
  readonly queue: string | undefined
  readonly setQueue: (queue: string | undefined) => void
} => {
  const { queue } = useSearch({ strict: false }) as SharedSearch
  const navigate = useNavigate()
  const setQueue = useCallback(
    (next: string | undefined) => {
      void navigate({ to: '.', search: ((before: object) => ({ ...before, queue: next })) as never })
    },
    [navigate],
  )
  return { queue, setQueue }
}
