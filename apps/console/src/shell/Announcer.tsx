import { createContext, useCallback, useContext, useMemo, useRef, useState, type ReactNode } from 'react'
import styles from './Announcer.module.css'

/** How long a word stays on the page, in ms. */
const shownMs = 6_000

const AnnounceContext = createContext<(text: string) => void>(() => {})

/** Tells the reader what was done. */
export const useAnnounce = (): ((text: string) => void) => useContext(AnnounceContext)

/** One place where things are told: a polite live region that can be seen as well. */
export const Announcer = ({ children }: { readonly children: ReactNode }) => {
  const [text, setText] = useState('')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const announce = useCallback((next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setText(''), shownMs)
  }, [])
  return (
    <AnnounceContext value={useMemo(() => announce, [announce])}>
      {children}
      <div role="status" aria-live="polite" className={text === '' ? 'visually-hidden' : styles['toast']}>
        {text}
      </div>
    </AnnounceContext>
  )
}
