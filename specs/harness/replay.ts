import { readChain, type Log } from '@kiroku/log'
import { evolve, PartitionState } from '@kiroku/partition'

/** The state that the whole log of a partition says, from its first record on. */
export const replay = async (log: Log, partition = 0): Promise<PartitionState> => {
  const state = new PartitionState(partition)
  const handle = await log.partition(partition)
  try {
    for await (const entry of readChain(handle)) {
      if (entry.kind !== 'ours' || entry.record.kind !== 'frame') continue
      state.beginFrame(entry.seq, entry.record.at)
      for (const event of entry.record.events) evolve(state, event)
    }
  } finally {
    await handle.close()
  }
  return state
}
