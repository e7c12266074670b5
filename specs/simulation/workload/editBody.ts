import { isKirokuError, messageId, partitionOf } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by } from './administer.ts'

const encoder = new TextEncoder()

/**
 * Has an operator give a dead letter another body, large or small, that still says which message it is: every
 * receive must get that one.
 */
export const editBody = (world: World, chance: Chance): void => {
  const { queues, partitions } = world.plan
  const queue = chance.pick(queues.filter((q) => !q.isForWork)).name
  const partition = partitionOf(queue, partitions)
  const found = world.truth.ledgers[partition]!.queueNamed(queue)
  if (found === undefined || found.messages.size === 0) return
  const { id } = found
  const messages = [...found.messages.values()]
  const { number, label } = chance.pick(messages)
  const caller = new Caller(world, 'editor')
  const act = async (): Promise<void> => {
    await caller.ask(partition, {
      type: 'EditBody',
      queue,
      number,
      messageId: messageId({ incarnation: world.log.meta.incarnation, partition, queue: id, number }),
      body: encoder.encode(label.padEnd(label.length + chance.pick([1, 50, 2_000, 70_000]))),
      by,
    })
  }
  world.loop.as(caller.party, () =>
    world.startDeed(
      `edit of message ${number} of ${queue}`,
      act().catch((error: unknown) => {
        if (!isKirokuError(error) || !expected.has(error.id)) throw error
      }),
    ),
  )
}

/** It has ended or is in flight, or was given up with the end of a log, or its queue is gone. */
const expected: ReadonlySet<string> = new Set([
  'NotEditable',
  'UnknownMessage',
  'UnknownQueue',
  'BodyTooLarge',
  'BodyMismatch',
])
