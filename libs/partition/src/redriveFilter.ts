import type { EnvelopeMeta } from './Envelope.ts'
import type { RedriveFilter } from './state/Redrive.ts'

/** Whether a filter lets a message pass, as far as its place tells. */
export const passesByTime = ({ enqueuedAfter, enqueuedBefore }: RedriveFilter, enqueuedAt: number): boolean =>
  (enqueuedAfter === undefined || enqueuedAt >= enqueuedAfter) &&
  (enqueuedBefore === undefined || enqueuedAt < enqueuedBefore)

/** Whether a filter must see what travels beside the body. */
export const looksInside = ({ tag, cause, error, attributes }: RedriveFilter): boolean =>
  tag !== undefined || cause !== undefined || error !== undefined || attributes !== undefined

/** Whether a filter lets a message pass, as far as what travels beside the body tells. */
export const passesInside = (
  { tag, cause, error, attributes }: RedriveFilter,
  meta: EnvelopeMeta,
): boolean => {
  const { lineage } = meta
  if (tag !== undefined && (meta.tag ?? '') !== tag) return false
  if (cause !== undefined && lineage?.cause !== cause) return false
  if (error !== undefined && !(lineage?.error.includes(error) ?? false)) return false
  for (const [name, value] of Object.entries(attributes ?? {}))
    if (meta.attributes === undefined || meta.attributes[name] !== value) return false
  return true
}
