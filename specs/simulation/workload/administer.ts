import { isKirokuError } from '@kiroku/message'
import { partitionOf, type QueueConfig } from '@kiroku/partition'
import type { Chance } from '../core/Chance.ts'
import { drawConfig } from '../plan/drawQueues.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'

/** Who administers queues, for the record. */
export const by = { name: 'operator', origin: 'simulation' }

/** What an operator does to a queue. */
type Deed = 'configure' | 'pause' | 'purge' | 'recreate'

/** Has an operator do something to one queue of work. */
export const administer = (world: World, chance: Chance, deed: Deed): void => {
  const queue = chance.pick(world.plan.queues.filter((q) => q.isForWork)).name
  const partition = partitionOf(queue, world.plan.partitions)
  const caller = new Caller(world, 'operator')
  const act = async (): Promise<void> => {
    switch (deed) {
      case 'configure': {
        const { leaseMs, retriesMax, retry, retentionMs, lateHandles } = drawConfig(chance)
        const all = { leaseMs, retriesMax, retry, retentionMs, lateHandles } as Partial<QueueConfig>
        const [name, value] = chance.pick(Object.entries(all))
        await caller.ask(partition, { type: 'ConfigureQueue', queue, config: { [name]: value }, by })
        return
      }
      case 'pause':
        await caller.ask(partition, { type: 'PauseDelivery', queue, by })
        await world.loop.sleep(chance.pick([10, 500, 3_000]))
        await caller.ask(partition, { type: 'ResumeDelivery', queue, by })
        return
      case 'purge':
        await caller.ask(partition, { type: 'PurgeQueue', queue, by })
        return
      case 'recreate': {
        const { config } = await caller.ask(partition, { type: 'DescribeQueue', queue })
        await caller.ask(partition, { type: 'DeleteQueue', queue, by })
        await caller.ask(partition, { type: 'CreateQueue', queue, config, by })
      }
    }
  }
  world.loop.as(caller.party, () =>
    world.start(
      `${deed} of ${queue}`,
      act().catch((error: unknown) => {
        // Another operator was faster, or the same deed took effect at the first try.
        if (!isKirokuError(error) || !expected.has(error.id)) throw error
        if (deed === 'recreate') return recreated(world, caller, partition, queue)
        return undefined
      }),
    ),
  )
}

const expected: ReadonlySet<string> = new Set(['UnknownQueue', 'QueueExists', 'InvalidArgument'])

/** A deletion whose answer was lost says `UnknownQueue` when it is repeated; the queue must come back all the same. */
const recreated = async (world: World, caller: Caller, partition: number, queue: string): Promise<void> => {
  const plan = world.plan.queues.find((q) => q.name === queue)!
  await caller
    .ask(partition, { type: 'CreateQueue', queue, config: world.configOf(plan), by })
    .catch((error: unknown) => {
      if (!isKirokuError(error) || error.id !== 'QueueExists') throw error
    })
}
