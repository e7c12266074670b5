import { refusalOf } from '../../data/refusal.ts'
import type { Session } from '@kiroku/api/answers'

/** Why nothing can be redriven now, in words; `undefined`: it can. */
export const whyNoCommands = ({
  isPast,
  session,
  queue,
  isRunning,
  letters,
}: {
  readonly isPast: boolean
  readonly session: Pick<Session, 'commands' | 'role' | 'grants'>
  readonly queue: string
  readonly isRunning: boolean
  /** Absent: not known yet. */
  readonly letters: number | undefined
}): string | undefined => {
  const refusal = refusalOf(session, isPast, queue)
  if (refusal !== undefined) return refusal
  if (isRunning) return 'A redrive runs: wait for it, or cancel it.'
  if (letters === undefined) return ''
  if (letters === 0) return 'There is nothing to redrive.'
  return undefined
}
