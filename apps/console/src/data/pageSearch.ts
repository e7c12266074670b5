import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** What the URL says for this page, and how to change some of it; `undefined` removes a value. */
export const usePageSearch = (): {
  readonly search: Readonly<Record<string, string | undefined>>
  readonly setSearch: (
    changes: Readonly<Record<string, string | undefined>>,
    options?: { readonly replace?: boolean },
  ) => void
} => {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>
  const navigate = useNavigate()
  const setSearch = useCallback(
    (changes: Readonly<Record<string, string | undefined>>, { replace = false } = {}) => {
      void navigate({
        to: '.',
        replace,
        // The page stays, so its scroll position must too.
        resetScroll: false,
        search: ((before: object) => ({ ...before, ...changes })) as never,
      })
    },
    [navigate],
  )
  return { search, setSearch }
}
