import { useEffect, useRef, type ReactNode } from 'react'
import styles from './Panel.module.css'

/** The panel next to the chart about one part of it. */
export const Panel = ({
  label,
  title,
  onClose,
  children,
}: {
  readonly label: string
  readonly title: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // After a selection the focus moves here; after a link it starts at the top of the page.
    if (document.activeElement !== document.body) heading.current!.focus({ preventScroll: false })
  }, [])
  return (
    <aside className={styles['panel']} aria-label={label}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" className="button small" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      {children}
    </aside>
  )
}
