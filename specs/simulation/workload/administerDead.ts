import { isKirokuError, partitionOf } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { QueuePlan } from '../plan/QueuePlan.ts'
import { drawChanges } from '../plan/drawQueues.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by } from './administer.ts'

const deeds = ['purge', 'pause', 'configure', 'recreate', 'recreate', 'recreate'] as const

/** Has an operator do something to a queue of dead letters, while letters are on their way to it. */
export const administerDead = (world: World, chance: Chance): void => {
  const plan = chance.pick(world.plan.queues.filter((q) => !q.isForWork))
  const deed = chance.pick(deeds)
  const { name: queue } = plan
  const partition = partitionOf(queue, world.plan.partitions)
  const caller = new Caller(world, 'operator of dead letters')
  const act = async (): Promise<void> => {
    switch (deed) {
      case 'purge':
        await caller.ask(partition, { type: 'PurgeQueue', queue, by })
        return
      case 'pause':
        await caller.ask(partition, { type: 'PauseDelivery', queue, by })
        await world.loop.sleep(chance.pick([500, 3_000]))
        await caller.ask(partition, { type: 'ResumeDelivery', queue, by })
        return
      case 'configure': {
        const [name, value] = chance.pick(Object.entries(drawChanges(chance).queue))
        await caller.ask(partition, { type: 'ConfigureQueue', queue, config: { [name]: value }, by })
        return
      }
      case 'recreate':
        await caller.ask(partition, { type: 'DeleteQueue', queue, force: true, by })
        await world.loop.sleep(chance.pick([0, 100, 2_000, 6_000]))
        await createDead(world, caller, plan)
    }
  }
  world.loop.as(caller.party, () =>
    world.startDeed(
      `${deed} of ${queue}`,
      act().catch((error: unknown) => {
        if (!isKirokuError(error) || !expected.has(error.id)) throw error
        return createDead(world, caller, plan)
      }),
    ),
  )
}

/** Another operator was faster, or its deletion took effect at the first try, or the queue is erasable. */
const expected: ReadonlySet<string> = new Set(['UnknownQueue', 'InvalidConfig'])

/** Creates a missing dead-letter queue. */
export const createDead = async (
  world: World,
  caller: Caller,
  { name, config }: QueuePlan,
): Promise<void> => {
  await caller
    .ask(partitionOf(name, world.plan.partitions), { type: 'CreateQueue', queue: name, config, by })
    .catch((error: unknown) => {
      if (!isKirokuError(error) || error.id !== 'QueueExists') throw error
    })
}
