import { isKirokuError } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by } from './administer.ts'

/** Has an operator say of every partition which clock is right, rightly or not. */
export const confirmClocks = (world: World, chance: Chance): void => {
  const caller = new Caller(world, 'operator of clocks')
  const clock = chance.pick(['store', 'node'] as const)
  const afterMs = chance.pick([200, 1_000, 4_000])
  const say = async (): Promise<void> => {
    await world.loop.sleep(afterMs)
    for (let partition = 0; partition < world.plan.partitions; partition++)
      await caller.ask(partition, { type: 'ConfirmClock', clock, by }).catch((error: unknown) => {
        if (!isKirokuError(error)) throw error
      })
  }
  world.start('word on the clocks', world.loop.as(caller.party, say))
}
