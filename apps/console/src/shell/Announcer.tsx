import { Link } from '@tanstack/react-router'
import { createContext, useCallback, useContext, useMemo, useRef, useState, type ReactNode } from 'react'
import styles from './Announcer.module.css'

/** How long an announcement stays on the page, in ms. */
const shownMs = 6_000

const nothing = { text: '' }

/** A message in an announcement, and the text of its link. */
interface MessageLink {
  readonly text: string
  readonly messageId: string
}

type Announce = (text: string, link?: MessageLink) => void

const AnnounceContext = createContext<Announce>(() => {})

/** Announces what was done. */
export const useAnnounce = (): Announce => useContext(AnnounceContext)

/** The place for announcements: a visible polite live region. */
export const Announcer = ({ children }: { readonly children: ReactNode }) => {
  const [{ text, link }, setTold] = useState<{ readonly text: string; readonly link?: MessageLink }>(nothing)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const announce = useCallback<Announce>((next, to) => {
    setTold(to === undefined ? { text: next } : { text: next, link: to })
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setTold(nothing), to === undefined ? shownMs : 2 * shownMs)
  }, [])
  return (
    <AnnounceContext value={useMemo(() => announce, [announce])}>
      {children}
      <div role="status" aria-live="polite" className={text === '' ? 'visually-hidden' : styles['toast']}>
        {text}
        {link !== undefined && (
          <>
            {' '}
            <Link
              to="/messages/$id"
              params={{ id: link.messageId }}
              search={((before: { queue?: string }) => ({ queue: before.queue })) as never}
            >
              {link.text}
            </Link>
          </>
        )}
      </div>
    </AnnounceContext>
  )
}
