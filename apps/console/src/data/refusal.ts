import { useMoment } from './moment.ts'
import type { Session } from '@kiroku/api/answers'
import { useSession } from './session.ts'

/** Why an operator's command cannot be given here, in a sentence; `undefined`: it can. */
export const refusalOf = (
  { commands, role }: Pick<Session, 'commands' | 'role'>,
  isPast: boolean,
): string | undefined => {
  if (isPast) return 'This is the past: go back to now first.'
  if (role === 'viewer') return 'Your role, viewer, may only look.'
  return commands ? undefined : 'This console may only look.'
}

/** The same for the current session and moment. */
export const useRefusal = (): string | undefined => {
  const { at } = useMoment()
  return refusalOf(useSession(), at !== undefined)
}
