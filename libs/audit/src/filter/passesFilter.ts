import type { Comparison, Condition, Filter, Pattern } from './Filter.ts'
import type { FoundMessage } from './FoundMessage.ts'

/** A message under one subscription, as a filter sees it. */
export interface FilteredMessage extends Omit<FoundMessage, 'messageId' | 'sentSeq' | 'seq'> {
  /** Its id, and those of the messages it was forwarded from. */
  readonly ids: readonly string[]
  /** Values in its body at a path; empty where there is none. */
  readonly payload: (path: string) => readonly (string | number)[]
}

/** Whether a message meets every condition. */
export const passesFilter = ({ conditions }: Filter, message: FilteredMessage): boolean =>
  conditions.every((condition) => meets(condition, message) !== condition.not)

const meets = (c: Condition, m: FilteredMessage): boolean => {
  switch (c.field) {
    case 'state':
      return c.states.includes(m.state)
    case 'id':
      return m.ids.some((id) => matchesAny(c.any, id))
    case 'error':
      return m.error !== '' && c.any.some((pattern) => contains(pattern, m.error))
    case 'time':
      return m.at >= c.atFrom && m.at < c.atUntil
    case 'sent':
      return m.sentAt >= c.atFrom && m.sentAt < c.atUntil
    case 'attribute': {
      const value = Object.hasOwn(m.attributes, c.key) ? m.attributes[c.key] : undefined
      return value !== undefined && matchesAny(c.any, value)
    }
    case 'payload':
      return m.payload(c.path).some((value) => typeof value === 'number' && compares(value, c.op, c.value))
    case 'payloadText':
      return m
        .payload(c.path)
        .some((value) =>
          typeof value === 'string'
            ? matchesAny(c.any, value)
            : c.any.some(({ text, pieces }) => pieces.length === 1 && Number(text) === value),
        )
    case 'partition':
    case 'number':
    case 'attempt':
    case 'redrives':
      return compares(m[c.field], c.op, c.value)
    default:
      return matchesAny(c.any, m[c.field])
  }
}

const matchesAny = (patterns: readonly Pattern[], value: string): boolean =>
  patterns.some((pattern) => matches(pattern, value))

/** Whether a text matches a pattern as a whole. */
const matches = ({ pieces }: Pattern, value: string): boolean => {
  const text = value.toLowerCase()
  const first = pieces[0]!
  if (pieces.length === 1) return text === first
  const last = pieces.at(-1)!
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  return hasInOrder(text, pieces.slice(1, -1), first.length, text.length - last.length)
}

/** Whether a text contains a match of a pattern. */
const contains = ({ pieces }: Pattern, value: string): boolean =>
  hasInOrder(value.toLowerCase(), pieces, 0, value.length)

const hasInOrder = (text: string, pieces: readonly string[], from: number, until: number): boolean => {
  let place = from
  for (const piece of pieces) {
    const found = text.indexOf(piece, place)
    if (found < 0) return false
    place = found + piece.length
  }
  return place <= until
}

const compares = (value: number, op: Comparison, with_: number): boolean => {
  switch (op) {
    case '=':
      return value === with_
    case '<':
      return value < with_
    case '<=':
      return value <= with_
    case '>':
      return value > with_
    case '>=':
      return value >= with_
  }
}
