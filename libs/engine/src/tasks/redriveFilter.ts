import type { EnvelopeMeta, RedriveFilter } from '@kiroku/protocol'

/** Whether a filter lets a message pass, as far as its place tells. */
export const passesByTime = ({ enqueuedAfter, enqueuedBefore }: RedriveFilter, enqueuedAt: number): boolean =>
  (enqueuedAfter === undefined || enqueuedAt >= enqueuedAfter) &&
  (enqueuedBefore === undefined || enqueuedAt < enqueuedBefore)

/** Whether a filter must see what travels beside the body. */
export const looksInside = ({ tag, cause, error, attributes }: RedriveFilter): boolean =>
  tag !== undefined || cause !== undefined || error !== undefined || attributes !== undefined

/**
 * Whether a filter lets a message pass, as far as what travels beside the body tells. The sender of the envelope may
 * have written anything.
 */
export const passesInside = (
  { tag, cause, error, attributes }: RedriveFilter,
  { tag: ownTag, lineage, attributes: own }: EnvelopeMeta,
): boolean => {
  if (tag !== undefined && (ownTag ?? '') !== tag) return false
  const origin = isRecord(lineage) ? lineage : undefined
  if (cause !== undefined && origin?.cause !== cause) return false
  if (error !== undefined && !(typeof origin?.error === 'string' && origin.error.includes(error)))
    return false
  for (const [name, value] of Object.entries(attributes ?? {}))
    if (!isRecord(own) || own[name] !== value) return false
  return true
}

const isRecord = <A>(value: A | undefined): value is A => typeof value === 'object' && value !== null
