import { useLayoutEffect, useRef, type ReactNode } from 'react'
import styles from './Dialog.module.css'

/** Text inputs. */
const typedIn = ['text', 'search', 'number'].map((type) => `input[type=${type}]`)
const fields = ['input:not([type])', ...typedIn, 'textarea'].map((field) => `${field}:enabled`).join()

/**
 * A window above the page: the browser's own, which keeps the focus inside and ends with Escape. The focus begins in the
 * field that says so (`data-begins`), or in the first text field, and goes back to where it was.
 */
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
  // A text selection may end outside: that must not close the dialog.
  const isPressedOutside = useRef(false)
  // Before the page loses what had the focus, so that the browser can give it back.
  useLayoutEffect(() => {
    const dialog = ref.current!
    // By default it would focus the first focusable element: ✕.
    dialog.showModal()
    const begins = dialog.querySelector<HTMLElement>('[data-begins=true]')
    const first = begins ?? dialog.querySelector<HTMLElement>(fields)
    first?.focus()
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
      onPointerDown={(event) => {
        isPressedOutside.current = event.target === ref.current
      }}
      onClick={(event) => {
        if (event.target === ref.current && isPressedOutside.current) onClose()
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
