import type { Session } from '@kiroku/api/answers'
import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { get } from './api.ts'

/** Asks who this is; the answer of an engine that is away comes when it is back. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => get<Session>('/v1/session', undefined, signal),
  staleTime: Infinity,
})

/** The session, inside of the gate that waits for it. */
export const SessionContext = createContext<Session | undefined>(undefined)

/** Who looks. */
export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('there is a session inside of the gate only')
  return session
}
