import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'

/** Nothing is refetched behind the reader's back: not on focus, not on reconnect. Pages that poll say so. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      // The token expired, or was taken away: the gate asks for another.
      if (queryKey[0] !== 'session' && error instanceof ApiError && error.status === 401)
        void queries.resetQueries({ queryKey: ['session'] })
    },
  }),
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      refetchOnMount: true,
      staleTime: 1_000,
      retry: (count, error) => error instanceof ApiError && error.retryable && count < 2,
    },
  },
})
