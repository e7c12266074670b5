import { partitionOf, type QueueConfig } from '@kiroku/protocol'
import type { World } from '../world/World.ts'

/** Settings of a queue as they are on record now, and whether they ever were others; undefined: there is no such queue. */
export const currentConfig = (
  { truth, plan }: World,
  name: string,
): { readonly config: QueueConfig; readonly isChanged: boolean } | undefined => {
  const partition = partitionOf(name, plan.partitions)
  const ledger = truth.ledgers[partition]!
  const queue = ledger.queueNamed(name)
  // The end that a log lost may have held a change that producers had seen already.
  const isRepaired = truth.repairedEpochs[partition]! > 0
  // One that was made again may have been made with what was changed.
  const all = [...ledger.queues.values()].filter((q) => q.name === name)
  return (
    queue && {
      config: queue.configOf(0),
      isChanged: isRepaired || all.some(({ configured }) => configured > 0),
    }
  )
}
