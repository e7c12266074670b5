import type { Session } from '@kiroku/api/answers'
import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { get } from './api.ts'
import { roleOf } from './roleOf.ts'

/** Fetches the session; if the engine is away, the answer comes when it is back. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => get<Session>('/v1/session', undefined, signal),
  staleTime: Infinity,
})

/** The session, inside the gate that waits for it. */
export const SessionContext = createContext<Session | undefined>(undefined)

/** The current session. */
export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('there is a session only inside the gate')
  return session
}

/** Whether the caller may change a queue here; without one, whether they may change any. */
export const useIsAdmin = (queue?: string): boolean => {
  const session = useSession()
  return session.commands && roleOf(session, queue) === 'admin'
}
