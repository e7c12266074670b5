import type { Chance } from '../core/Chance.ts'
import { plentyBytes } from '../world/KnownRoom.ts'
import type { World } from '../world/World.ts'

/** Shares of what can be held that are free then; 1: there is room for all. */
const freeShares = [0, 0.03, 0.08, 0.15, 0.3, 0.6, 1] as const

const sizeFor = (usedBytes: number, freeShare: number): number =>
  freeShare === 1 ? plentyBytes : Math.ceil(usedBytes / (1 - freeShare))

/** Makes the store that all partitions share larger or smaller. */
export const resizeStore = ({ log, history }: World, chance: Chance): void => {
  const { usedBytes } = log.faults
  const bytesMax = sizeFor(usedBytes, chance.pick(freeShares))
  log.faults.resizeStore(bytesMax)
  history.note(() => `the store holds ${bytesMax} bytes, of which ${usedBytes} are used`)
}

/** The same for the log of one partition. */
export const resizeLog = ({ log, plan, history }: World, chance: Chance): void => {
  const partition = chance.below(plan.partitions)
  const { bytes } = log.faults.stored(partition)
  const bytesMax = sizeFor(bytes, chance.pick(freeShares))
  log.faults.resizeStream(partition, bytesMax)
  history.note(() => `the log of partition ${partition} holds ${bytesMax} bytes, of which ${bytes} are used`)
}

/** Has the store take larger records, or none but smaller ones; the largest message fits them all. */
export const limitRecords = ({ log, history }: World, chance: Chance): void => {
  const bytesMax = chance.pick([150_000, 300_000, 1_000_000])
  log.faults.limitRecords(bytesMax)
  history.note(() => `the store takes records of ${bytesMax} bytes`)
}
