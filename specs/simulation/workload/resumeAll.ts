import { isKirokuError, partitionOf } from '@kiroku/protocol'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by, secondSubscription } from './administer.ts'

/** Lets a partition's queues deliver: what its log lost may have held the end of a pause. */
export const resumeAll = (world: World, partition: number): void => {
  const caller = new Caller(world, 'operator of lost ends')
  world.start(
    `resumption of partition ${partition}`,
    world.loop.as(caller.party, () => resume(world, caller, partition)),
  )
}

const resume = async (world: World, caller: Caller, partition: number): Promise<void> => {
  for (const { name, second } of world.plan.queues) {
    if (partitionOf(name, world.plan.partitions) !== partition) continue
    const subscriptions = second === undefined ? ['main'] : ['main', secondSubscription]
    for (const subscription of [undefined, ...subscriptions])
      await caller
        .ask(partition, {
          type: 'ResumeDelivery',
          queue: name,
          ...(subscription === undefined ? {} : { subscription }),
          by,
        })
        .catch((error: unknown) => {
          if (!isKirokuError(error)) throw error
        })
  }
}
