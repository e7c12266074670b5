import { filterFields, filterStates, type FilterField } from '@kiroku/audit/filter'

/** A completion at the caret. */
interface Completion {
  /** What replaces the text from `from` to the caret. */
  readonly text: string
  /** What it means. */
  readonly says: string
}

/** The completions, and the character from which they replace. */
export interface Completions {
  readonly from: number
  readonly entries: readonly Completion[]
}

const none = (from: number): Completions => ({ from, entries: [] })

/** Fields whose value is said with the name of a queue. */
const queueFields: ReadonlySet<string> = new Set(['queue'])

/**
 * What may follow at a place in a filter: names of fields, behind `state:` the states, behind `queue:` the queues.
 * `caret` is counted in characters from 0, `fields` are those that may be named.
 */
export const completionsAt = (
  text: string,
  caret: number,
  queues: readonly string[],
  fields: readonly FilterField[] = filterFields,
): Completions => {
  const from = conditionStart(text, caret)
  if (from === undefined) return none(caret)
  const written = text.slice(from, caret)
  const colon = written.indexOf(':')
  if (colon < 0) {
    const lower = written.toLowerCase()
    const entries = fields
      .filter(({ name }) => name.startsWith(lower))
      .map(({ name, says }) => ({ text: name.endsWith('.') ? name : `${name}:`, says }))
    return { from, entries: entries.some((entry) => entry.text === written) ? [] : entries }
  }
  const name = written.slice(0, colon)
  const valueFrom = from + Math.max(colon, written.lastIndexOf(',')) + 1
  const value = text.slice(valueFrom, caret).toLowerCase()
  const values = name === 'state' ? filterStates : queueFields.has(name) ? queues : undefined
  if (values !== undefined)
    return {
      from: valueFrom,
      entries: values
        .filter((each) => each.toLowerCase().startsWith(value) && each.toLowerCase() !== value)
        .map((each) => ({ text: each, says: '' })),
    }
  const field = fields.find((each) => each.name === name)
  return value === '' && field !== undefined
    ? {
        from: valueFrom,
        entries: [{ text: field.example.slice(name.length + 1), says: 'for example' }],
      }
    : none(caret)
}

/** Where the condition begins in which the caret is, behind its minus; undefined inside of quotes. */
const conditionStart = (text: string, caret: number): number | undefined => {
  let from = 0
  let quoted = false
  for (let i = 0; i < caret; i++) {
    if (quoted && text[i] === '\\') i++
    else if (text[i] === '"') quoted = !quoted
    else if (!quoted && text[i] === ' ') from = i + 1
  }
  if (quoted) return undefined
  return text[from] === '-' && from < caret ? from + 1 : from
}
