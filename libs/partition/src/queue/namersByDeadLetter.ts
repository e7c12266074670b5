import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'

/** The queues that name a dead-letter queue, themselves or with a subscription, by its name. */
export const namersByDeadLetter = ({
  queues,
}: PartitionState): ReadonlyMap<string, readonly QueueState[]> => {
  const namers = new Map<string, QueueState[]>()
  for (const queue of queues.values()) {
    const { config, subs } = queue
    const targets = [config.deadLetter, ...subs.map(({ settings }) => settings.deadLetter)]
    for (const name of new Set(targets.flatMap((target) => target?.name ?? []))) {
      const known = namers.get(name)
      if (known === undefined) namers.set(name, [queue])
      else known.push(queue)
    }
  }
  return namers
}
