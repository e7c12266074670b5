import type { DatabaseSync } from 'node:sqlite'
import type { Condition, Filter, Pattern } from '@kiroku/audit'
import { type Grants, parseMessageId, State } from '@kiroku/protocol'
import { limits } from '../limits.ts'
import { grantedQueues } from './grantedQueues.ts'
import { globOf, textIds } from './textIds.ts'

/** How a search goes through the messages; whatever it skips certainly does not match the filter. */
export interface SearchPlan {
  /** Scans that together reach every message once; each is in the order of answers. */
  readonly ways: readonly Clause[]
  /** Conditions on each scan. */
  readonly where: readonly Clause[]
  /** Times of the last change that are searched: from the first on, up to the second, excluded. */
  readonly span: readonly [from: number, until: number]
}

/** A piece of SQL with its parameters. */
export interface Clause {
  readonly sql: string
  readonly parameters: readonly (string | number)[]
  /** The index to use. */
  readonly index?: string
}

const stateCodes = State as Readonly<Record<string, number>>

/**
 * Chooses the index that leads to the fewest messages, and narrows the rest as far as SQL can.
 *
 * @param grants whose search it is: messages in queues that these do not name are left out; absent: none are
 */
export const planSearch = (database: DatabaseSync, { conditions }: Filter, grants?: Grants): SearchPlan => {
  const granted = grantedQueues(grants)
  const where: Clause[] =
    granted === undefined ? [] : [among('m.stream', streamsOf(database, granted.sql, granted.parameters))]
  let ways: Clause[] | undefined
  let span: SearchPlan['span'] = [0, Number.MAX_SAFE_INTEGER]
  let rank = Infinity
  const offer = (own: number, found: Clause[]): void => {
    if (own >= rank) return
    rank = own
    ways = found
  }
  for (const c of conditions) {
    if (c.field === 'time' && !c.not) {
      span = [Math.max(span[0], c.atFrom), Math.min(span[1], c.atUntil)]
      continue
    }
    const narrow = clauseOf(database, c)
    if (narrow !== undefined) where.push(narrow)
    if (c.not) continue
    if (c.field === 'id') offer(0, idWays(c.any))
    else if (c.field === 'payload' || c.field === 'payloadText') {
      if (isRare(database, c)) offer(1, [{ sql: payloadPlaces(c), parameters: payloadParameters(c) }])
    } else if (c.field === 'error' || c.field === 'fingerprint' || c.field === 'group') {
      const column = c.field === 'group' ? 'grp' : 'error'
      const ids = idsOf(database, c)
      if (ids !== undefined)
        offer(
          2,
          ids.map((id) => equal(column, id)),
        )
    } else if (c.field === 'state' && !c.states.includes('Committed')) {
      const states = [...new Set(c.states)].map((name) => stateCodes[name]!)
      offer(
        3,
        states.map((state) => equal('state', state)),
      )
    }
  }
  if (where.includes(nowhere)) return { ways: [], where: [], span }
  return { ways: ways ?? [{ sql: '1', parameters: [], index: 'messages_at' }], where, span }
}

/**
 * Not left to SQLite: a condition that is never true makes it drop the others, and with them the reason to
 * use an index.
 */
const nowhere: Clause = { sql: '0', parameters: [] }

const among = (column: string, ids: readonly number[]): Clause =>
  ids.length === 0 ? nowhere : { sql: `${column} IN (${ids.join(', ')})`, parameters: [] }

const equal = (column: string, value: number): Clause => ({
  sql: column === 'state' ? `m.state = ? AND m.state <> 5` : `m.${column} = ?`,
  parameters: [value],
  index: `messages_${column}`,
})

const idsOf = (
  database: DatabaseSync,
  c: Extract<Condition, { readonly any: readonly Pattern[] }>,
): number[] | undefined => {
  switch (c.field) {
    case 'error':
      return textIds(database, 'errors', 'folded', c.any, true)
    case 'fingerprint':
      return textIds(database, 'errors', 'fingerprint', c.any, false)
    default:
      return textIds(database, 'texts', 'folded', c.any, false)
  }
}

/** An id names the place of its message, or its first place, and is looked up there. */
const idWays = (any: readonly Pattern[]): Clause[] => {
  const ways: Clause[] = []
  for (const { text } of any)
    try {
      const { partition, queue, number } = parseMessageId(text.toLowerCase())
      ways.push(
        {
          sql: `m.stream IN (SELECT s.id FROM streams s JOIN queues q ON q.id = s.queue
            WHERE q.partition = ? AND q.queue = ?) AND m.number = ? AND m.origin IS NULL`,
          parameters: [partition, queue, number],
        },
        {
          sql: `m.stream IN (SELECT s.id FROM streams s JOIN queues q ON q.id = s.queue
            WHERE q.partition = ? AND q.queue = ?) AND m.number = ? AND m.origin IS NOT NULL AND m.origin <> ?`,
          parameters: [partition, queue, number, text.toLowerCase()],
        },
        { sql: 'm.origin = ?', parameters: [text.toLowerCase()], index: 'messages_origin' },
      )
    } catch {
      // A pattern, or not an id: either way not the place of one message.
      return [{ sql: '1', parameters: [], index: 'messages_at' }]
    }
  return ways
}

type PayloadText = Extract<Condition, { field: 'payloadText' }>
type OfPayload = Extract<Condition, { field: 'payload' }> | PayloadText

/** Whether the values are found by their place among all values, rather than by looking at each. */
const isFoundByValue = (c: OfPayload): boolean =>
  c.field === 'payload' || c.any.every(isExact) || (c.any.length === 1 && isPrefix(c.any[0]!))

const isExact = ({ pieces }: Pattern): boolean => pieces.length === 1
const isPrefix = ({ pieces }: Pattern): boolean => pieces.length === 2 && pieces[0] !== '' && pieces[1] === ''

/** Whether so few values match that it is cheaper to go through their messages than through all. */
const isRare = (database: DatabaseSync, c: OfPayload): boolean =>
  isFoundByValue(c) &&
  database
    .prepare(`SELECT 1 FROM fields f WHERE ${payloadMatches(c)} LIMIT 1 OFFSET ${limits.searchSliceRows}`)
    .get(...payloadParameters(c)) === undefined

/** Streams and numbers of the messages that have such a value at the path. */
const payloadPlaces = (c: OfPayload): string =>
  `(m.stream, m.number) IN (SELECT s.id, f.number FROM fields f JOIN streams s ON s.queue = f.queue WHERE ${payloadMatches(c)})`

/** That a message has such a value at the path. */
const payloadExists = (c: OfPayload): string => {
  // A text is looked up among all of them, anything else among those of the message.
  const isText = c.field === 'payloadText' && c.any.every(isExact)
  const fields = isText ? 'fields f' : 'fields f INDEXED BY fields_of'
  return `EXISTS (SELECT 1 FROM ${fields} WHERE f.queue = s.queue AND f.number = m.number AND ${payloadMatches(c)})`
}

const payloadMatches = (c: OfPayload): string =>
  `f.name = (SELECT id FROM texts WHERE text = ?) AND (${payloadValues(c)})`

/** In the order of values all numbers come before all texts. */
const payloadValues = (c: OfPayload): string =>
  c.field === 'payload'
    ? `f.value ${c.op} ?${c.op.startsWith('>') ? " AND f.value < ''" : ''}`
    : c.any
        .map((pattern) =>
          isExact(pattern) ? 'f.value IN (?, ?)' : "(f.value GLOB ? AND typeof(f.value) = 'text')",
        )
        .join(' OR ')

const payloadParameters = (c: OfPayload): (string | number)[] =>
  c.field === 'payload'
    ? [c.path, c.value]
    : [
        c.path,
        ...c.any.flatMap((pattern) => {
          if (!isExact(pattern)) return [globOf(pattern)]
          const text = pattern.pieces[0]!
          return [text, isNumber(text) ? Number(text) : text]
        }),
      ]

const isNumber = (text: string): boolean => text.trim() !== '' && !Number.isNaN(Number(text))

const clauseOf = (database: DatabaseSync, c: Condition): Clause | undefined => {
  const turned = (sql: string): string => (c.not ? `NOT (${sql})` : sql)
  switch (c.field) {
    case 'state': {
      const states = c.states.map((name) => stateCodes[name]!)
      return { sql: turned(`m.state IN (${states.join(', ')})`), parameters: [] }
    }
    case 'attempt':
    case 'redrives':
    case 'number':
      return { sql: turned(`m.${c.field} ${c.op} ?`), parameters: [c.value] }
    case 'partition':
      return { sql: turned(`q.partition ${c.op} ?`), parameters: [c.value] }
    case 'time':
    case 'sent': {
      const column = c.field === 'time' ? 'm.at' : 'm.sent_at'
      const until = Math.min(c.atUntil, Number.MAX_SAFE_INTEGER)
      return { sql: turned(`${column} >= ? AND ${column} < ?`), parameters: [c.atFrom, until] }
    }
    case 'payload':
    case 'payloadText':
      return { sql: turned(payloadExists(c)), parameters: payloadParameters(c) }
    case 'queue':
      return streamsWhere(database, c, 'q.name')
    case 'subscription':
      return streamsWhere(database, c, 's.name')
    case 'attribute':
      return c.not ? undefined : { sql: 'm.attributes IS NOT NULL', parameters: [] }
    case 'group':
    case 'tag':
    case 'consumer':
    case 'producer':
    case 'reason': {
      const ids = c.not ? undefined : idsOf(database, c)
      const column = c.field === 'group' ? 'grp' : c.field
      return ids && among(`m.${column}`, ids)
    }
    case 'error':
    case 'fingerprint': {
      const ids = c.not ? undefined : idsOf(database, c)
      return ids && among('m.error', ids)
    }
    case 'id':
      return undefined
  }
}

const streamsOf = (database: DatabaseSync, where: string, parameters: readonly string[]): number[] =>
  database
    .prepare(`SELECT s.id FROM streams s JOIN queues q ON q.id = s.queue WHERE ${where}`)
    .all(...parameters)
    .map((row) => row['id'] as number)

const streamsWhere = (
  database: DatabaseSync,
  c: Extract<Condition, { readonly any: readonly Pattern[] }>,
  column: string,
): Clause | undefined => {
  if (c.not) return undefined
  const tests = c.any.map(() => `lower(${column}) GLOB ?`).join(' OR ')
  return among('m.stream', streamsOf(database, tests, c.any.map(globOf)))
}
