import { isKirokuError } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by } from './administer.ts'

/** Has an operator delete the key of a message, or those of a group so far, wherever the queue has messages. */
export const erase = (world: World, chance: Chance): void => {
  const found = world.truth.ledgers.flatMap(({ queues }) =>
    [...queues.values()].filter(
      (q) => !q.isDeleted && q.messages.size > 0 && q.configOf(0).erasable !== 'none',
    ),
  )
  if (found.length === 0) return
  const queue = chance.pick(found)
  const message = chance.pick([...queue.messages.values()])
  const { partition, id, name } = queue
  const caller = new Caller(world, 'eraser')
  const act = async (): Promise<void> => {
    await caller.ask(partition, {
      type: 'Erase',
      queue: name,
      ...(queue.configOf(0).erasable === 'group'
        ? { group: message.group }
        : { message: { queue: id, number: message.number } }),
      by: { ...by, reason: 'somebody asked for it' },
    })
  }
  world.loop.as(caller.party, () =>
    world.startDeed(
      `erasure in ${name}`,
      act().catch((error: unknown) => {
        if (!isKirokuError(error) || !expected.has(error.id)) throw error
      }),
    ),
  )
}

/** The queue was deleted and created again, or a part of it is gone, or a repair gave the message up. */
const expected: ReadonlySet<string> = new Set(['UnknownQueue', 'UnknownMessage'])
