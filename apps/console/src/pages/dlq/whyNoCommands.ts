/** Why nothing can be redriven now, in words; `undefined`: it can. */
export const whyNoCommands = ({
  isPast,
  session,
  isSpread,
  isRunning,
  letters,
}: {
  readonly isPast: boolean
  readonly session: { readonly commands: boolean; readonly role: string }
  /** The queue lies on several partitions. */
  readonly isSpread: boolean
  readonly isRunning: boolean
  /** Absent: not known yet. */
  readonly letters: number | undefined
}): string | undefined => {
  if (isPast) return 'This is the past: go back to now to redrive.'
  if (!session.commands) return 'This console may only look.'
  if (session.role === 'viewer') return 'Your role may only look.'
  if (isSpread) return 'It is spread over partitions: bring it together first (kiroku queue spread).'
  if (isRunning) return 'A redrive runs: wait for it, or cancel it.'
  if (letters === undefined) return ''
  if (letters === 0) return 'There is nothing to redrive.'
  return undefined
}
