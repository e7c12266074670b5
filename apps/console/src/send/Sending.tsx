import { createContext, lazy, Suspense, useContext, useMemo, useState, type ReactNode } from 'react'
import { useRefusal } from '../data/refusal.ts'
import type { SendDraft } from './sendRequest.ts'

const SendDialog = lazy(async () => ({ default: (await import('./SendDialog.tsx')).SendDialog }))

interface Sending {
  /** Opens the send dialog. */
  readonly begin: (draft: SendDraft) => void
  /** Why nothing can be sent from here; absent: it can. */
  readonly refusal: string | undefined
}

const SendingContext = createContext<Sending>({ begin: () => {}, refusal: undefined })

/** How to send a message from here. */
export const useSending = (): Sending => useContext(SendingContext)

/** Lets everything inside send messages. */
export const SendingProvider = ({ children }: { readonly children: ReactNode }) => {
  const [draft, setDraft] = useState<SendDraft>()
  const refusal = useRefusal()
  const sending = useMemo((): Sending => ({ begin: setDraft, refusal }), [refusal])
  return (
    <SendingContext value={sending}>
      {children}
      {draft !== undefined && (
        <Suspense>
          <SendDialog draft={draft} onClose={() => setDraft(undefined)} />
        </Suspense>
      )}
    </SendingContext>
  )
}

/** Begins a message; where none can be sent it says why. */
export const SendButton = ({ draft, children }: { readonly draft: SendDraft; readonly children: string }) => {
  const { begin, refusal } = useSending()
  return (
    <button
      type="button"
      className="button"
      disabled={refusal !== undefined}
      title={refusal}
      onClick={() => begin(draft)}
    >
      {children}
    </button>
  )
}
