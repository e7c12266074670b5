import { populationOf } from '@kiroku/audit'
import { readChain } from '@kiroku/log'
import { openLog } from '@kiroku/log-jetstream'
import { type Population } from '@kiroku/message'
import { connect } from '@kiroku/nats'
import { countsOf, evolve, PartitionState } from '@kiroku/partition'
import { stateNames } from '@kiroku/protocol'

/**
 * How many messages were in each state behind these records, one a partition: what the log itself says when it is
 * replayed from its first record on.
 */
export const populationAt = async (natsUrl: string, seqs: readonly number[]): Promise<Population> => {
  const nats = await connect({ servers: natsUrl, findsKey: true })
  try {
    const log = await openLog(nats, { name: 'main' })
    const sum = Object.fromEntries(stateNames.map((name) => [name, 0])) as Record<keyof Population, number>
    for (const [partition, toSeq] of seqs.entries()) {
      const state = new PartitionState(partition)
      const handle = await log.partition(partition)
      for await (const entry of readChain(handle, { toSeq })) {
        if (entry.kind !== 'ours' || entry.record.kind !== 'frame') continue
        state.beginFrame(entry.seq, entry.record.at)
        for (const event of entry.record.events) evolve(state, event)
      }
      await handle.close()
      for (const queue of state.names.values()) {
        const own = populationOf(countsOf(queue))
        for (const name of stateNames) sum[name] += own[name]
      }
    }
    await log.close()
    return sum
  } finally {
    await nats.close()
  }
}
