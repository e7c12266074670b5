import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { limits } from '../limits.ts'
import { rowColumns, rowTables, type MessageRow } from './foundOf.ts'
import type { Clause, SearchPlan } from './planSearch.ts'

/** A place in the order of answers, the latest first. */
export type RowKey = Pick<MessageRow, 'at' | 'stream' | 'number'>

/** A step of a scan: a row that it found, or how far it has looked without finding one. */
export interface ScanStep {
  /** All rows up to here were found or do not match. */
  readonly key: RowKey
  readonly row: MessageRow | undefined
}

/** Whether `a` comes before `b` in answers. */
export const isBefore = (a: RowKey, b: RowKey): boolean =>
  a.at !== b.at ? a.at > b.at : a.stream !== b.stream ? a.stream > b.stream : a.number > b.number

/**
 * Finds the rows of all ways of a plan, merged in the order of answers. An index is gone through in slices with a step after each,
 * so that a scan that finds nothing for long can be interrupted.
 */
export function* scanRows(
  database: DatabaseSync,
  { ways, where }: SearchPlan,
  after: RowKey = beforeAll,
): Generator<ScanStep, void> {
  const heads: { readonly steps: Iterator<ScanStep>; step: ScanStep }[] = []
  for (const way of ways) {
    const steps =
      way.index !== undefined && [way, ...where].every(({ isSlow }) => isSlow !== true)
        ? inSlices(database, way, where, after)
        : atOnce(database, way, where, after)
    const first = steps.next()
    if (first.done !== true) heads.push({ steps, step: first.value })
  }
  while (heads.length > 0) {
    let best = 0
    for (let i = 1; i < heads.length; i++) if (isBefore(heads[i]!.step.key, heads[best]!.step.key)) best = i
    const head = heads[best]!
    yield head.step
    const next = head.steps.next()
    if (next.done === true) heads.splice(best, 1)
    else head.step = next.value
  }
}

const beforeAll: RowKey = {
  at: Number.MAX_SAFE_INTEGER,
  stream: Number.MAX_SAFE_INTEGER,
  number: Number.MAX_SAFE_INTEGER,
}
const afterAll: RowKey = { at: -1, stream: -1, number: -1 }

const placed = ({ at, stream, number }: RowKey): [number, number, number] => [at, stream, number]

const order = 'ORDER BY m.at DESC, m.stream DESC, m.number DESC'

/** Goes through the index of a way, a number of its entries at a time. */
function* inSlices(
  database: DatabaseSync,
  way: Clause,
  where: readonly Clause[],
  after: RowKey,
): Generator<ScanStep, void> {
  const indexed = `messages m INDEXED BY ${way.index}`
  const ends = database.prepare(
    `SELECT m.at, m.stream, m.number FROM ${indexed} WHERE (${way.sql}) AND (m.at, m.stream, m.number) < (?, ?, ?)
      ${order} LIMIT 1 OFFSET ${limits.searchSliceRows - 1}`,
  )
  const rows = statementOf(database, [way, ...where], rowTables.replace('messages m', indexed))
  for (let from = after; ;) {
    const end = ends.get(...way.parameters, ...placed(from)) as unknown as RowKey | undefined
    yield* rows(from, end ?? afterAll)
    if (end === undefined) return
    from = end
    yield { key: end, row: undefined }
  }
}

/** The rows of a way that is short, or cannot be divided. */
function* atOnce(
  database: DatabaseSync,
  way: Clause,
  where: readonly Clause[],
  after: RowKey,
): Generator<ScanStep, void> {
  const tables =
    way.index === undefined
      ? rowTables
      : rowTables.replace('messages m', `messages m INDEXED BY ${way.index}`)
  let found = 0
  for (const step of statementOf(database, [way, ...where], tables)(after, afterAll)) {
    yield step
    if (++found % limits.searchSliceRows === 0) yield { key: step.key, row: undefined }
  }
}

/** Finds the rows between two places, of which the second is included. */
const statementOf = (
  database: DatabaseSync,
  clauses: readonly Clause[],
  tables: string,
): ((from: RowKey, end: RowKey) => Generator<ScanStep, void>) => {
  const statement = database.prepare(
    `SELECT ${rowColumns} FROM ${tables} WHERE ${clauses.map(({ sql }) => `(${sql})`).join(' AND ')}
      AND (m.at, m.stream, m.number) < (?, ?, ?) AND (m.at, m.stream, m.number) >= (?, ?, ?) ${order}`,
  )
  const parameters: SQLInputValue[] = clauses.flatMap((clause) => clause.parameters)
  return function* (from, end) {
    const rows = statement.iterate(...parameters, ...placed(from), ...placed(end))
    for (const row of rows as unknown as Iterable<MessageRow>) yield { key: row, row }
  }
}
