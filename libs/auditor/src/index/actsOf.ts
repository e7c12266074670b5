import type { DatabaseSync } from 'node:sqlite'
import { passesActFilter, type Act, type ActFilter } from '@kiroku/audit'
import { limits } from '../limits.ts'

/** The acts in the index that match a filter, latest first; at most `actsMax`. */
export const actsOf = (
  database: DatabaseSync,
  filter: ActFilter,
  actsMax: number = limits.actsMax,
): Act[] => {
  const { queue, since = 0, until = Number.MAX_SAFE_INTEGER } = filter
  const acts: Act[] = []
  const rows = database
    .prepare(
      `SELECT act FROM acts WHERE at >= ? AND at < ?${queue === undefined ? '' : ' AND queue = ?'}
        ORDER BY at DESC, partition, seq DESC, place DESC`,
    )
    .iterate(since, until, ...(queue === undefined ? [] : [queue]))
  for (const row of rows) {
    const act = JSON.parse(row['act'] as string) as Act
    if (!passesActFilter(filter, act)) continue
    acts.push(act)
    if (acts.length === actsMax) break
  }
  return acts
}
