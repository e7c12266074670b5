import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { ApiError, presentedToken, presentToken } from '../data/api.ts'
import { SessionContext, sessionQuery } from '../data/session.ts'
import { Problem } from '../parts/Problem.tsx'
import styles from './Gate.module.css'

/** Why a token does not open the console. */
const whyRefused = ({ id, message }: ApiError): string =>
  id === 'Unauthorized' ? 'The engine does not know this token.' : `The engine refuses it: ${message}.`

/** Admits the reader; asks for a token if the engine requires one. */
export const Gate = ({ children }: { readonly children: ReactNode }) => {
  const session = useQuery(sessionQuery)
  const queries = useQueryClient()
  const [token, setToken] = useState('')
  if (session.data !== undefined) return <SessionContext value={session.data}>{children}</SessionContext>
  const { error } = session
  const hasToken = presentedToken() !== null
  // Where the holder of a token may do nothing at all, another one may help.
  const asksForToken =
    error instanceof ApiError && (error.status === 401 || (error.status === 403 && hasToken))
  const isRefused = asksForToken && hasToken
  if (session.isPending) return null
  return (
    <main className={styles['gate']}>
      <h1>Kiroku</h1>
      {asksForToken ? (
        <form
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault()
            presentToken(token)
            void queries.invalidateQueries({ queryKey: ['session'] })
          }}
        >
          <label className={styles['form']}>
            This engine asks for a token. It is kept until this tab is closed.
            <input
              className="field"
              type="password"
              value={token}
              autoFocus
              autoComplete="off"
              aria-invalid={isRefused}
              aria-describedby="token-says"
              onChange={(event) => setToken(event.target.value)}
            />
          </label>
          <p id="token-says" role="alert">
            {isRefused && whyRefused(error)}
          </p>
          <button type="submit" className="button strong">
            Open the console
          </button>
        </form>
      ) : (
        <Problem error={session.error} retry={() => void session.refetch()} />
      )}
    </main>
  )
}
