import { useEffect, useRef, type ReactNode } from 'react'
import styles from './Dialog.module.css'

/** A window above the page: the browser's own, which keeps the focus inside and ends with Escape. */
export const Dialog = ({
  title,
  onClose,
  children,
  wide = false,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly wide?: boolean
}) => {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current!
    dialog.showModal()
    return () => dialog.close()
  }, [])
  return (
    <dialog
      ref={ref}
      className={`${styles['dialog']} ${wide ? styles['wide'] : ''}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose()
      }}
    >
      <div className={styles['sheet']}>
        <header className={styles['head']}>
          <h2>{title}</h2>
          <button type="button" className="button small" onClick={onClose} aria-label="Close">
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
