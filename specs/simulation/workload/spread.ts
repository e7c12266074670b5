import { isKirokuError, partitionOf } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { QueuePlan } from '../plan/QueuePlan.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by } from './administer.ts'

const spreadable = (world: World): QueuePlan[] => world.plan.queues.filter((q) => q.isSpreadable === true)

/** Has an operator give a queue parts in some partitions, and take away those in others. */
export const spread = (world: World, chance: Chance): void => {
  const queues = spreadable(world)
  if (queues.length === 0) return
  world.isSpread = true
  if (world.hurts.size > 0) world.coverage.add('fault', 'spread beside damage')
  const { name } = chance.pick(queues)
  const { partitions } = world.plan
  const home = partitionOf(name, partitions)
  const others = Array.from({ length: partitions }, (_, p) => p).filter((p) => p !== home)
  const wanted = others.filter(() => chance.happens(0.6))
  world.startDeed(`spread of ${name}`, place(world, name, home, wanted))
}

/** Brings every queue back to its home. */
export const bringHome = async (world: World): Promise<void> => {
  if (!world.isSpread) return
  for (const { name } of spreadable(world))
    await place(world, name, partitionOf(name, world.plan.partitions), [])
}

const place = (world: World, queue: string, home: number, partitions: readonly number[]): Promise<void> => {
  const caller = new Caller(world, 'spreader')
  return world.loop.as(caller.party, async () => {
    try {
      await caller.ask(home, { type: 'SpreadQueue', queue, partitions, by })
    } catch (error) {
      // A queue that is being deleted and created again, or was given settings that cannot be shared out.
      if (!isKirokuError(error) || !expected.has(error.id)) throw error
    }
  })
}

const expected: ReadonlySet<string> = new Set(['UnknownQueue', 'InvalidConfig', 'QueueMoved'])
