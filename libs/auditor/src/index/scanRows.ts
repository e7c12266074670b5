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

/** The rows between two places: after the first, up to and including the second. */
interface Stretch {
  readonly from: RowKey
  readonly end: RowKey
}

/**
 * Finds the rows of all ways of a plan, merged in the order of answers. An index is walked in slices, with a step after each,
 * so that a scan that finds nothing for long can be interrupted.
 */
export function* scanRows(
  database: DatabaseSync,
  { ways, where, span }: SearchPlan,
  after: RowKey | undefined,
): Generator<ScanStep, void> {
  const latest = { at: span[1], stream: -1, number: -1 }
  const whole = {
    from: after === undefined || isBefore(after, latest) ? latest : after,
    end: { at: span[0], stream: -1, number: -1 },
  }
  const heads: { readonly steps: Iterator<ScanStep>; step: ScanStep }[] = []
  for (const way of ways) {
    const steps = (way.index === undefined ? atOnce : inSlices)(database, way, where, whole)
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

// One bound at each end: of two, SQLite may choose the wider one.
const within = '(m.at, m.stream, m.number) < (?, ?, ?) AND (m.at, m.stream, m.number) >= (?, ?, ?)'
const order = 'ORDER BY m.at DESC, m.stream DESC, m.number DESC'

const places = ({ from, end }: Stretch): SQLInputValue[] =>
  [from, end].flatMap(({ at, stream, number }) => [at, stream, number])

/** Walks the index of a way in slices. */
function* inSlices(
  database: DatabaseSync,
  way: Clause,
  where: readonly Clause[],
  whole: Stretch,
): Generator<ScanStep, void> {
  const ends = database.prepare(
    `SELECT m.at, m.stream, m.number FROM ${tableOf(way)} WHERE (${way.sql}) AND ${within}
      ${order} LIMIT 1 OFFSET ${limits.searchSliceRows - 1}`,
  )
  const rows = statementOf(database, way, where)
  for (let { from } = whole; ;) {
    const end = ends.get(...way.parameters, ...places({ from, end: whole.end })) as unknown as
      | RowKey
      | undefined
    yield* rows({ from, end: end ?? whole.end })
    if (end === undefined) return
    from = end
    yield { key: end, row: undefined }
  }
}

/** The rows of a way that matches only a few. */
function* atOnce(
  database: DatabaseSync,
  way: Clause,
  where: readonly Clause[],
  whole: Stretch,
): Generator<ScanStep, void> {
  let found = 0
  for (const step of statementOf(database, way, where)(whole)) {
    yield step
    if (++found % limits.searchSliceRows === 0) yield { key: step.key, row: undefined }
  }
}

const tableOf = ({ index }: Clause): string =>
  index === undefined ? 'messages m' : `messages m INDEXED BY ${index}`

/** Finds the rows of a way in a stretch. */
const statementOf = (
  database: DatabaseSync,
  way: Clause,
  where: readonly Clause[],
): ((stretch: Stretch) => Generator<ScanStep, void>) => {
  const clauses = [way, ...where]
  const statement = database.prepare(
    `SELECT ${rowColumns} FROM ${rowTables.replace('messages m', tableOf(way))}
      WHERE ${clauses.map(({ sql }) => `(${sql})`).join(' AND ')} AND ${within} ${order}`,
  )
  const parameters = clauses.flatMap((clause) => clause.parameters)
  return function* (stretch) {
    const rows = statement.iterate(...parameters, ...places(stretch))
    for (const row of rows as unknown as Iterable<MessageRow>) yield { key: row, row }
  }
}
