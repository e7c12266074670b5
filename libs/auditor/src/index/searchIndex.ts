import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTick } from 'node:timers/promises'
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
import { foundOf, passedOf, placeIdOf, type MessageRow } from './foundOf.ts'
import { hidingOf } from './hidingOf.ts'
import { planSearch } from './planSearch.ts'
import { isBefore, scanRows, type RowKey } from './scanRows.ts'
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
  /** Called between two pieces of the search; by default, others have their turn. */
  readonly pause?: () => Promise<unknown>
}

const limitDefault = 50

/**
 * Finds the messages that match a filter, latest first. The search has a time limit; after it the answer may
 * hold fewer messages than requested, and a cursor. Errors: `InvalidArgument` (limit, cursor), those of the pause.
 */
export const searchIndex = async (
  database: DatabaseSync,
  filter: Filter,
  options: SearchOptions,
): Promise<SearchAnswer> => {
  const { limit = limitDefault, incarnation, asOperator = false, grants, pause = nextTick } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > questionLimits.searchMessagesMax)
    throw new KirokuError(
      'InvalidArgument',
      `limit is a number from 1 to ${questionLimits.searchMessagesMax}`,
    )
  const after = options.cursor === undefined ? undefined : parseCursor(options.cursor)
  // Conditions on bodies are answered by the plan alone.
  const rest = { ...filter, conditions: filter.conditions.filter((c) => !isOfBody(c)) }
  const messages: FoundMessage[] = []
  const sightOf = sightsOf(hidingOf(database), asOperator, grants)
  const asksFor = (fields: ReadonlySet<string>) => filter.conditions.some(({ field }) => fields.has(field))
  const [asksForContent, asksForErrors] = [asksFor(contentFields), asksFor(errorFields)]
  let cursor: string | undefined
  let last: RowKey | undefined
  let until: RowKey | undefined
  let workedMs = 0
  let sinceMs = performance.now()
  for (const { key, row } of scanRows(database, planSearch(database, filter, grants), after)) {
    if (until !== undefined && isBefore(until, key)) {
      cursor = cursorOf(until)
      break
    }
    if (row === undefined) {
      if (messages.length === limit) {
        cursor = cursorOf(last!)
        break
      }
      workedMs += performance.now() - sinceMs
      // A cursor must not reveal a message that is not in the answer, so it names a whole second.
      if (workedMs >= limits.searchMs)
        until ??= { at: Math.floor(key.at / 1_000) * 1_000, stream: 0, number: 0 }
      await pause()
      sinceMs = performance.now()
      continue
    }
    const own = seenBy(sightOf(row), passedOf(row))
    const message = foundOf(row, incarnation, own)
    // Neither the answer nor its cursor says whether it would have matched.
    if ((asksForContent && !own.shows.attributes) || (asksForErrors && !own.shows.errors)) {
      if (messages.length < limit) last = key
      continue
    }
    if (messages.length === limit) {
      cursor = cursorOf(last!)
      break
    }
    last = key
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

const cursorOf = ({ at, stream, number }: RowKey): string => `${at}.${stream}.${number}`

/** Errors: `InvalidArgument`. */
const parseCursor = (text: string): RowKey => {
  const parts = /^(\d{1,16})\.(\d{1,16})\.(\d{1,16})$/.exec(text)
  if (parts === null)
    throw new KirokuError('InvalidArgument', `"${text.slice(0, 60)}" is not a cursor of an answer`)
  return { at: Number(parts[1]), stream: Number(parts[2]), number: Number(parts[3]) }
}
