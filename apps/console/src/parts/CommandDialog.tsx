import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { send, type Command } from '../data/api.ts'
import { useAnnounce } from '../shell/Announcer.tsx'
import { Dialog } from './Dialog.tsx'
import { Problem } from './Problem.tsx'
import { ReasonField } from './ReasonField.tsx'
import styles from './CommandDialog.module.css'

/**
 * Asks before something is changed: `children` spell the effect out, the reason goes on record. `done`
 * announces what was done. Ctrl Enter confirms, even where Enter begins a line.
 */
export const CommandDialog = <A,>({
  title,
  command,
  action,
  danger = false,
  isReady = true,
  isAct = true,
  confirmName,
  done,
  onClose,
  onDone,
  children,
}: {
  readonly title: string
  /** What is sent; made when it is confirmed. */
  readonly command: () => Omit<Command, 'reason'>
  /** The word on the button. */
  readonly action: string
  readonly danger?: boolean
  /** Whether there is something to send yet. */
  readonly isReady?: boolean
  /** Whether it is recorded as an act, with a reason. */
  readonly isAct?: boolean
  /** What must be typed first, if the command cannot be undone. */
  readonly confirmName?: string
  readonly done?: (answer: A) => string
  readonly onClose: () => void
  readonly onDone?: (answer: A) => void
  readonly children: ReactNode
}) => {
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const announce = useAnnounce()
  const queries = useQueryClient()
  const run = useMutation({
    mutationFn: () => send<A>({ ...command(), reason }),
    onSuccess: (answer) => {
      if (done !== undefined) announce(done(answer))
      void queries.invalidateQueries()
      onDone?.(answer)
      onClose()
    },
  })
  const isEnabled = isReady && !run.isPending && (confirmName === undefined || typed === confirmName)
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className={styles['form']}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          if (isEnabled) event.currentTarget.requestSubmit()
        }}
        onSubmit={(event) => {
          event.preventDefault()
          run.mutate()
        }}
      >
        <div className={styles['effect']}>{children}</div>
        {confirmName !== undefined && (
          <label className={styles['label']}>
            <span>
              Type <strong>{confirmName}</strong> to confirm
            </span>
            <input
              className="field"
              value={typed}
              onChange={(e) => setTyped(e.target.value)}
              autoComplete="off"
            />
          </label>
        )}
        {isAct && <ReasonField value={reason} onChange={setReason} />}
        {run.error !== null && <Problem error={run.error} />}
        <div className={styles['buttons']}>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={`button strong ${danger ? 'danger' : ''}`} disabled={!isEnabled}>
            {run.isPending ? 'Working…' : action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
