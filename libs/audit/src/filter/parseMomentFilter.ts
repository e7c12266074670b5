import { filterFields, type Filter, type FilterField } from './Filter.ts'
import { FilterError } from './FilterError.ts'
import { parseFilter } from './parseFilter.ts'

const known: ReadonlySet<string> = new Set([
  'state',
  'queue',
  'subscription',
  'attempt',
  'group',
  'partition',
  'number',
  'sent',
])

/** Fields of a filter for a moment: what the state of that moment knows of messages that were not final. */
export const momentFields: readonly FilterField[] = filterFields.filter(({ name }) => known.has(name))

/**
 * Reads a filter for messages as of a moment in ms since 1970, from which its spans count back. Errors:
 * `FilterError`, also for a field that is not known of the past.
 */
export const parseMomentFilter = (text: string, atMs: number): Filter => {
  const filter = parseFilter(text, atMs)
  for (const { field, from, to, not } of filter.conditions) {
    if (known.has(field)) continue
    const at = not ? from + 1 : from
    const name = text.slice(at, to).split(':', 1)[0]
    const names = momentFields.map((each) => each.name).join(', ')
    throw new FilterError(text, at, `"${name}" is not known of a moment in the past; there are ${names}`)
  }
  return filter
}
