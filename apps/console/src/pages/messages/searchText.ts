import { momentFields, parseFilter, parseMomentFilter } from '@kiroku/audit/filter'
import type { StateName } from '../../parts/StateMark.tsx'

/** How a value is written in a filter: as it is, or in quotes. */
const quoted = (value: string): string =>
  /^[\w.:/@+-]+$/.test(value) ? value : `"${value.replace(/[\\"]/g, '\\$&')}"`

/** A filter with one more condition. */
export const withQueue = (filter: string, queue: string | undefined): string =>
  queue === undefined ? filter : `${filter} queue:${quoted(queue)}`.trim()

/** What a filter calls a state. */
const wordOfState = (state: StateName): string => (state === 'WaitingRetry' ? 'waiting' : state.toLowerCase())

/** The states that a filter names, and the filter without them. */
const splitStates = (filter: string): { readonly states: ReadonlySet<StateName>; readonly rest: string } => {
  const conditions = conditionsOf(filter)
  const named = conditions.filter(({ field, not }) => field === 'state' && !not)
  const states = new Set(named.flatMap((condition) => ('states' in condition ? condition.states : [])))
  const rest = conditions
    .filter((condition) => !named.includes(condition))
    .map(({ from, to }) => filter.slice(from, to))
    .join(' ')
  return { states, rest }
}

const conditionsOf = (filter: string) => {
  try {
    return parseFilter(filter, 0).conditions
  } catch {
    return []
  }
}

/** States that a filter asks for; empty: all. */
export const statesOf = (filter: string): ReadonlySet<StateName> => splitStates(filter).states

/** Whether all that a filter asks for is known of a moment in the past. */
export const isKnownThen = (filter: string): boolean => {
  try {
    parseMomentFilter(filter, 0)
    return true
  } catch {
    return false
  }
}

/** What a filter asks for that is known of a moment in the past. */
export const knownThen = (filter: string): string =>
  conditionsOf(filter)
    .filter(({ field }) => momentFields.some(({ name }) => name === field))
    .map(({ from, to }) => filter.slice(from, to))
    .join(' ')

/** A filter that asks for one state more, or for one less. */
export const withState = (filter: string, state: StateName): string => {
  const { states, rest } = splitStates(filter)
  const next = new Set(states)
  if (!next.delete(state)) next.add(state)
  return `${next.size === 0 ? '' : `state:${[...next].map(wordOfState).join(',')}`} ${rest}`.trim()
}

/** A text as one word of a shell. */
const shellWord = (text: string): string =>
  /^[\w.:/@%+=,-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`

/** The command that finds the same in a terminal. */
export const searchCommand = (filter: string): string =>
  filter === '' ? 'kiroku search' : `kiroku search ${shellWord(filter)}`

/** The command that shows the same of a moment in a terminal. */
export const momentCommand = (filter: string, queue: string, at: string): string =>
  `kiroku replay ${shellWord(queue)} --at ${shellWord(at)}${filter === '' ? '' : ` --where ${shellWord(filter)}`}`

/** How many records of the log an answer does not cover. */
export const recordsBehind = (
  reached: readonly { readonly partition: number; readonly seq: number }[],
  partitions: readonly { readonly partition: number; readonly lastSeq: number }[],
): number =>
  partitions.reduce((sum, { partition, lastSeq }) => {
    const known = reached.find((each) => each.partition === partition)?.seq ?? 0
    return sum + Math.max(0, lastSeq - known)
  }, 0)
