import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'

/** Nothing is refetched behind the reader's back: not on focus, not on reconnect. Pages that poll say so. */
export const queries = new QueryClient({
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
