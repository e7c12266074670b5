import type { World } from '../world/World.ts'
import { by } from './administer.ts'
import { createDead } from './administerDead.ts'
import { Caller } from './Caller.ts'

/**
 * Has a fact stored where an owner could not know by itself that it is none any more, because locks were broken on
 * purpose, or that its log was repaired.
 */
export const poke = async (world: World): Promise<void> => {
  const { placement, hurts, plan } = world
  const caller = new Caller(world, 'poke')
  await world.loop.as(caller.party, async () => {
    // What a log lost may have been that a queue was made again, for which letters wait.
    for (const queue of plan.queues) if (!queue.isForWork) await createDead(world, caller, queue)
    for (let p = 0; p < plan.partitions; p++)
      if (placement.dishonest.has(p) || hurts.has(p))
        await caller.ask(p, { type: 'CreateQueue', queue: `poke-${p}`, config: {}, by })
  })
}
