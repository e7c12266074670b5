import type { MessageBody } from '@kiroku/audit'
import type { Granted } from './Granted.ts'
import type { Sees } from './withoutOthers.ts'

/** Where a message came from; of a queue that a caller may not know of, only the message's id is left. */
export const lineageWithoutOthers = (lineage: unknown, sees: Sees): unknown => {
  // A sender may put anything into an envelope.
  if (typeof lineage !== 'object' || lineage === null) return undefined
  const { passed: _, ...rest } = lineage as Record<string, unknown>
  const { queue, messageId } = rest
  return typeof queue === 'string' && sees(queue) ? rest : { messageId }
}

/** What a message carries, as the caller may know it. */
export const bodyWithoutOthers = (found: MessageBody, { isRestricted, sees }: Granted): MessageBody => {
  const { lineage } = found.meta
  if (!isRestricted || lineage === undefined) return found
  return { ...found, meta: { ...found.meta, lineage: lineageWithoutOthers(lineage, sees) as never } }
}
