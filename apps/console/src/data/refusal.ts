import type { Session } from '@kiroku/api/answers'
import { roleSuffices } from '@kiroku/protocol'
import { useMoment } from './moment.ts'
import { roleOf } from './roleOf.ts'
import { useSession } from './session.ts'

/** Why an operator's command cannot be given here, to a queue if one is meant, in a sentence; `undefined`: it can. */
export const refusalOf = (
  session: Pick<Session, 'commands' | 'role' | 'grants'>,
  isPast: boolean,
  queue?: string,
): string | undefined => {
  if (isPast) return 'This is the past: go back to now first.'
  if (!roleSuffices(roleOf(session, queue), 'operator')) return 'Your role, viewer, may only look.'
  return session.commands ? undefined : 'This console may only look.'
}

/** The same for the current session and moment. */
export const useRefusal = (queue?: string): string | undefined => {
  const { at } = useMoment()
  return refusalOf(useSession(), at !== undefined, queue)
}
