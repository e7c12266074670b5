import type { Log, PartitionLog } from '@kiroku/log'
import { isKirokuError } from '@kiroku/protocol'
import type { Problem } from '../verify/VerifyReport.ts'

/** A partition, or why the store has none. */
export type OpenedPartition =
  | { readonly handle: PartitionLog; readonly problem?: undefined }
  | { readonly handle?: undefined; readonly problem: Problem }

/**
 * Opens a partition. Errors: `InvalidArgument` (the log has no such partition); a partition missing from the
 * store is not an error.
 */
export const openPartition = async (log: Log, n: number): Promise<OpenedPartition> => {
  try {
    return { handle: await log.partition(n) }
  } catch (error) {
    if (!isKirokuError(error) || error.id !== 'LogDamaged') throw error
    return { problem: { seq: 0, id: error.id, message: error.message } }
  }
}
