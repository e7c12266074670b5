import { featureLevel, partitionOf } from '@kiroku/protocol'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by, subscribe } from './administer.ts'

/** Creates the queues: first those that others name. */
export const setUp = async (world: World): Promise<void> => {
  const { plan } = world
  const caller = new Caller(world, 'set-up')
  await world.loop.as(caller.party, async () => {
    for (let partition = 0; partition < plan.partitions; partition++)
      await caller.ask(partition, { type: 'RaiseClusterVersion', version: featureLevel, by })
    for (const queue of plan.queues) {
      const partition = partitionOf(queue.name, plan.partitions)
      const config = world.configOf(queue)
      const created = await caller.ask(partition, { type: 'CreateQueue', queue: queue.name, config, by })
      world.queueIds.set(queue.name, created.queue)
      await subscribe(caller, partition, queue)
    }
  })
}
