import type { DatabaseSync } from 'node:sqlite'
import {
  type Condition,
  type Filter,
  type FoundMessage,
  passesFilter,
  questionLimits,
  type ReachedPartition,
  seenBy,
  type Sight,
  type SearchAnswer,
} from '@kiroku/audit'
import { type Grants, isRestricted, KirokuError, roleOn, roleSuffices } from '@kiroku/protocol'
import { limits } from '../limits.ts'
import { foundOf, passedOf, placeIdOf, rowColumns, rowTables, type MessageRow } from './foundOf.ts'
import { planSearch, type Clause, type SearchPlan } from './planSearch.ts'
import { hidingOf } from './hidingOf.ts'
import { globOf } from './textIds.ts'

/** Options of a search. */
export interface SearchOptions {
  /** Most messages in the answer; default 50. */
  readonly limit?: number
  /** Where an earlier answer ended. */
  readonly cursor?: string
  /** Name of the log's incarnation, for message ids. */
  readonly incarnation: string
  /** Whether what queues hide is shown as to an operator; default: no. */
  readonly asOperator?: boolean
  /** Whose search it is, where roles differ by queue; absent: all queues are searched. */
  readonly grants?: Grants
}

/** A place in the order of answers. */
type RowKey = Pick<MessageRow, 'at' | 'stream' | 'number'>

const limitDefault = 50

/**
 * Finds the messages that match a filter, latest first. The search has a time limit; after it the answer may
 * hold fewer messages than requested, and a cursor. Errors: `InvalidArgument` (limit, cursor).
 */
export const searchIndex = (database: DatabaseSync, filter: Filter, options: SearchOptions): SearchAnswer => {
  const { limit = limitDefault, incarnation, asOperator = false, grants } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > questionLimits.searchMessagesMax)
    throw new KirokuError(
      'InvalidArgument',
      `limit is a number from 1 to ${questionLimits.searchMessagesMax}`,
    )
  const after = options.cursor === undefined ? undefined : parseCursor(options.cursor)
  // Conditions on bodies are answered by the plan alone.
  const rest = { ...filter, conditions: filter.conditions.filter((c) => !isOfBody(c)) }
  const messages: FoundMessage[] = []
  const endMs = performance.now() + limits.searchMs
  const sightOf = sightsOf(hidingOf(database), asOperator, grants)
  const asksFor = (fields: ReadonlySet<string>) => filter.conditions.some(({ field }) => fields.has(field))
  const [asksForContent, asksForErrors] = [asksFor(contentFields), asksFor(errorFields)]
  let cursor: string | undefined
  let last: MessageRow | undefined
  let seen = 0
  for (const row of rowsOf(database, planSearch(database, filter, grants), after)) {
    const own = seenBy(sightOf(row), passedOf(row))
    const message = foundOf(row, incarnation, own)
    // Neither the answer nor its cursor says whether it would have matched.
    const isPassedOver = (asksForContent && !own.shows.attributes) || (asksForErrors && !own.shows.errors)
    const isEnd = isLate(++seen, endMs) || (messages.length === limit && !isPassedOver)
    if (last !== undefined && isEnd) {
      cursor = `${last.at}.${last.stream}.${last.number}`
      break
    }
    if (isPassedOver && messages.length === limit) continue
    last = row
    if (isPassedOver) continue
    const ids = [...new Set([message.messageId, placeIdOf(row, incarnation)])]
    if (passesFilter(rest, { ...message, ids, payload: () => [] })) messages.push(message)
  }
  return {
    messages,
    ...(cursor === undefined ? {} : { cursor }),
    reached: reachedOf(database),
    ...(filter.conditions.some(isOfBody)
      ? { bodiesNotIndexed: bodiesNotIndexed(database, filter).filter(isSeen(grants)) }
      : {}),
  }
}

/** Who sees a row: an operator of its queue sees more of it. */
const sightsOf = (
  hiding: Sight['hiding'],
  asOperator: boolean,
  grants: Grants | undefined,
): ((row: MessageRow) => Sight) => {
  const whole = { hiding, asOperator }
  if (grants === undefined) return () => whole
  const sights = new Map<string, Sight>()
  return (row) => {
    const queue = row['queue'] as string
    let sight = sights.get(queue)
    if (sight === undefined) {
      sight = { hiding, asOperator: roleSuffices(roleOn(grants, queue), 'operator') }
      sights.set(queue, sight)
    }
    return sight
  }
}

const isSeen = (grants: Grants | undefined) => (queue: string) =>
  grants === undefined || !isRestricted(grants) || roleOn(grants, queue) !== undefined

/** How far the index has read each partition. */
export const reachedOf = (database: DatabaseSync): ReachedPartition[] =>
  database
    .prepare('SELECT partition, seq, at FROM reached ORDER BY partition')
    .all()
    .map((row) => ({ ...row }) as unknown as ReachedPartition)

/** What a filter may ask of a message that queues hide from those who only look. */
const contentFields: ReadonlySet<string> = new Set(['payload', 'payloadText', 'attribute'])
const errorFields: ReadonlySet<string> = new Set(['error', 'fingerprint'])

const isLate = (seen: number, endMs: number): boolean => seen % 256 === 0 && performance.now() > endMs

const isOfBody = ({ field }: Condition): boolean => field === 'payload' || field === 'payloadText'

/** Queues in question that do not index bodies, except those whose messages all came from queues that do. */
const bodiesNotIndexed = (database: DatabaseSync, { conditions }: Filter): string[] => {
  const asked = conditions.flatMap((c) => (c.field === 'queue' ? [c] : []))
  const tests = asked.map(
    ({ any, not }) => ` AND ${not ? 'NOT ' : ''}(${any.map(() => 'lower(name) GLOB ?').join(' OR ')})`,
  )
  return database
    .prepare(
      `SELECT DISTINCT name FROM queues WHERE name <> '' AND body_since IS NULL AND bodies_left_out IS NOT 0
        ${tests.join('')} ORDER BY name`,
    )
    .all(...asked.flatMap(({ any }) => any.map(globOf)))
    .map((row) => row['name'] as string)
}

/** Errors: `InvalidArgument`. */
const parseCursor = (text: string): RowKey => {
  const parts = /^(\d{1,16})\.(\d{1,16})\.(\d{1,16})$/.exec(text)
  if (parts === null)
    throw new KirokuError('InvalidArgument', `"${text.slice(0, 60)}" is not a cursor of an answer`)
  return { at: Number(parts[1]), stream: Number(parts[2]), number: Number(parts[3]) }
}

/** The rows of all scans of a plan, merged in the order of answers. */
function* rowsOf(
  database: DatabaseSync,
  { ways, where }: SearchPlan,
  after: RowKey | undefined,
): Generator<MessageRow, void> {
  const heads: { readonly rows: Iterator<MessageRow>; row: MessageRow }[] = []
  const open = ways.map((way) => rowsOfWay(database, way, where, after))
  for (const rows of open) {
    const first = rows.next()
    if (first.done !== true) heads.push({ rows, row: first.value })
  }
  while (heads.length > 0) {
    let best = 0
    for (let i = 1; i < heads.length; i++) if (isBefore(heads[i]!.row, heads[best]!.row)) best = i
    const head = heads[best]!
    yield head.row
    const next = head.rows.next()
    if (next.done === true) heads.splice(best, 1)
    else head.row = next.value
  }
}

const isBefore = (a: RowKey, b: RowKey): boolean =>
  a.at !== b.at ? a.at > b.at : a.stream !== b.stream ? a.stream > b.stream : a.number > b.number

const rowsOfWay = (
  database: DatabaseSync,
  way: Clause,
  where: readonly Clause[],
  after: RowKey | undefined,
): Iterator<MessageRow> => {
  const clauses = [way, ...where]
  const from =
    way.index === undefined
      ? rowTables
      : rowTables.replace('messages m', `messages m INDEXED BY ${way.index}`)
  const place = after === undefined ? '' : 'AND (m.at, m.stream, m.number) < (?, ?, ?)'
  const statement = database.prepare(
    `SELECT ${rowColumns} FROM ${from} WHERE ${clauses.map(({ sql }) => `(${sql})`).join(' AND ')} ${place}
      ORDER BY m.at DESC, m.stream DESC, m.number DESC`,
  )
  const parameters = clauses.flatMap((clause) => clause.parameters)
  const places = after === undefined ? [] : [after.at, after.stream, after.number]
  return statement.iterate(...parameters, ...places) as unknown as Iterator<MessageRow>
}
