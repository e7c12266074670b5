import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openIndexToRead, reachedOf } from '@kiroku/auditor'

/** How far the only index of an engine with this data folder has read its partitions: the sum of their sequences. */
export const reachedIn = (dataDir: string): number => {
  const folder = join(dataDir, 'audit')
  const [incarnation] = existsSync(folder) ? readdirSync(folder) : []
  const index = incarnation === undefined ? undefined : openIndexToRead(join(folder, incarnation))
  if (index === undefined) return 0
  try {
    return reachedOf(index).reduce((sum, { seq }) => sum + seq, 0)
  } finally {
    index.close()
  }
}
