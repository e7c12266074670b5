import { useEffect, useRef, type ReactNode } from 'react'
import { useKeys } from '../shell/useKeys.ts'
import styles from './SidePanel.module.css'

/** A list, and next to it the opened item: below it if there is no room. */
export const WithPanel = ({
  children,
  panel,
}: {
  readonly children: ReactNode
  readonly panel: ReactNode
}) => (
  <div className={styles['with']} data-open={panel !== undefined && panel !== null && panel !== false}>
    <div className={styles['list']}>{children}</div>
    {panel}
  </div>
)

/** The opened item of a list; Escape closes it. When `name` changes, it is scrolled into view. */
export const SidePanel = ({
  title,
  name,
  onClose,
  children,
}: {
  readonly title: ReactNode
  readonly name: string
  readonly onClose: () => void
  readonly children: ReactNode
}) => {
  const ref = useRef<HTMLElement>(null)
  useKeys({ Escape: onClose })
  useEffect(() => {
    const panel = ref.current!
    panel.scrollTo({ top: 0 })
    if (panel.getBoundingClientRect().top > 0.6 * innerHeight) panel.scrollIntoView({ block: 'start' })
  }, [name])
  return (
    <section ref={ref} className={`card ${styles['panel']}`} aria-label={name} tabIndex={0}>
      <header className={styles['head']}>
        <h2>{title}</h2>
        <button type="button" className="button small" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      {children}
    </section>
  )
}
