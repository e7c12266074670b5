import type { Chance } from '../core/Chance.ts'
import type { QueuePlan } from './QueuePlan.ts'

/** A store that holds little, and what changes of it on the way. */
export interface StorePlan {
  /** What is limited: the store that all partitions share, each partition's own log, or the size of a record. */
  readonly limits: 'store' | 'logs' | 'records'
  /** What the store, or each log, can hold in the beginning. */
  readonly bytesMax: number
  /** How long the record is kept, in ms. */
  readonly recordMs: number
  /** How long it stays so once nothing else goes wrong, in ms. */
  readonly lastsMs: number
}

/** Share of seeds with such a store. */
const storesShare = 1 / 6

const dayMs = 86_400_000

/** The store of one seed; undefined: it has room for all. */
export const drawStore = (chance: Chance): StorePlan | undefined => {
  if (!chance.happens(storesShare)) return undefined
  const limits = chance.weighted({ store: 6, logs: 3, records: 1 })
  const sizes = { store: [60_000, 150_000, 400_000], logs: [25_000, 80_000, 200_000], records: [0] }
  return {
    limits,
    bytesMax: chance.pick(sizes[limits]),
    recordMs: chance.pick([7 * dayMs, 7 * dayMs, 4 * dayMs, shortRecordMs]),
    lastsMs: limits === 'records' ? 0 : chance.pick([0, 3_000, 3_000, 20_000, 20_000, 120_000]),
  }
}

/** How long a record is kept that ends within one seed, in ms; queues may not keep their messages longer. */
const shortRecordMs = 16_000

/** The queues as a record of this length lets them be. */
export const withinRecord = (queues: readonly QueuePlan[], recordMs: number): readonly QueuePlan[] =>
  queues.map((queue) => {
    const { retentionMs = 0 } = queue.config
    return retentionMs <= recordMs ? queue : { ...queue, config: { ...queue.config, retentionMs: recordMs } }
  })
