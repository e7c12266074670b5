import { isKirokuError, partitionOf } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by } from './administer.ts'

/** Has an operator bring dead letters back to where they came from, or to one queue; sometimes it is called off. */
export const redrive = (world: World, chance: Chance): void => {
  const { queues, partitions } = world.plan
  const queue = chance.pick(queues.filter((q) => !q.isForWork)).name
  const partition = partitionOf(queue, partitions)
  const target = chance.pick(queues.filter((q) => q.isForWork && (q.config.groups ?? 'none') === 'none'))
  const address = target && { name: target.name, partition: partitionOf(target.name, partitions) }
  const to =
    address === undefined || chance.happens(0.6)
      ? ('origin' as const)
      : { ...address, queue: world.queueIds.get(address.name)! }
  const caller = new Caller(world, 'redriver')
  const act = async (): Promise<void> => {
    await caller.ask(partition, {
      type: 'StartRedrive',
      queue,
      request: `request ${chance.below(1e9)}`,
      to,
      ...(chance.happens(0.3)
        ? {
            selection: chance.pick([
              [1, 3],
              [2, 1, 4, 10],
              [5, 100],
            ]),
          }
        : {}),
      ...(chance.happens(0.3) ? { rateMax: chance.pick([1, 20]) } : {}),
      ...(chance.happens(0.2) ? { messagesMax: 2 } : {}),
      ...(chance.happens(0.1) ? { dryRun: true } : {}),
      by,
    })
    if (!chance.happens(0.2)) return
    await world.loop.sleep(chance.pick([0, 50, 1_000]))
    await caller.ask(partition, { type: 'CancelRedrive', queue, by })
  }
  world.loop.as(caller.party, () =>
    world.startDeed(
      `redrive of ${queue}`,
      act().catch((error: unknown) => {
        if (!isKirokuError(error) || !expected.has(error.id)) throw error
      }),
    ),
  )
}

/** One runs already, or has ended already, or its target is gone. */
const expected: ReadonlySet<string> = new Set(['RedriveRunning', 'UnknownRedrive', 'UnknownQueue'])
