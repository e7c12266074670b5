import type { DatabaseSync } from 'node:sqlite'
import type { Pattern } from '@kiroku/audit'

/** More ids than this are not looked up one by one. */
const idsMax = 200

/** The ids of the texts that match a pattern, in no particular order; undefined: more than `idsMax`. */
export const textIds = (
  database: DatabaseSync,
  table: 'texts' | 'errors',
  column: 'folded' | 'fingerprint',
  patterns: readonly Pattern[],
  isContained: boolean,
): number[] | undefined => {
  const ids = new Set<number>()
  for (const pattern of patterns) {
    const { pieces } = pattern
    const isExact = pieces.length === 1 && !isContained
    const glob = globOf(pattern)
    const rows = database
      .prepare(`SELECT id FROM ${table} WHERE ${column} ${isExact ? '=' : 'GLOB'} ? LIMIT ${idsMax + 1}`)
      .all(isExact ? pieces[0]! : isContained ? `*${glob}*` : glob)
    for (const row of rows) ids.add(row['id'] as number)
    if (ids.size > idsMax) return undefined
  }
  return [...ids]
}

/** A pattern in GLOB syntax. */
export const globOf = ({ pieces }: Pattern): string => pieces.map(escapeGlob).join('*')

/** A text in GLOB syntax, with all wildcards escaped. */
const escapeGlob = (text: string): string => text.replace(/[*?[]/g, '[$&]')
