import { openPartition, type ReachedPartition } from '@kiroku/audit'
import type { Log } from '@kiroku/log'

/** How far an index is behind a partition's log. */
export interface IndexLag {
  readonly partition: number
  /** Last sequence that the index has; 0: none. */
  readonly seq: number
  readonly lastSeq: number
  /** Records behind the end of the log. */
  readonly behind: number
}

/** How far an index is behind each partition of a log that the store has. */
export const lagOf = async (log: Log, reached: readonly ReachedPartition[]): Promise<IndexLag[]> => {
  const lags: IndexLag[] = []
  for (let n = 0; n < log.meta.partitions; n++) {
    const { handle: partition } = await openPartition(log, n)
    if (partition === undefined) continue
    try {
      const { lastSeq } = await partition.state()
      const seq = reached.find((each) => each.partition === n)?.seq ?? 0
      lags.push({ partition: n, seq, lastSeq, behind: Math.max(0, lastSeq - seq) })
    } finally {
      await partition.close()
    }
  }
  return lags
}
