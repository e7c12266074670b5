import { isKirokuError, messageId, partitionOf } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { Message } from '../world/QueueLedger.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by } from './administer.ts'

const encoder = new TextEncoder()

/**
 * Has an operator look into queues a few times and give a message, mostly one that waits, and perhaps those ahead of
 * it another body, large or small, that still says which message it is: every receive must get that one.
 */
export const editBody = (world: World, chance: Chance): void => {
  const caller = new Caller(world, 'editor')
  const act = async (): Promise<void> => {
    for (let looks = chance.pick([1, 4, 12]); looks > 0; looks--) {
      await editSome(world, chance, caller)
      await world.loop.sleep(chance.pick([0, 50, 200]))
    }
  }
  world.loop.as(caller.party, () => world.startDeed('edits of bodies', act()))
}

/** The last message is edited first, so that each still lies in a run with what was sent ahead of it. */
const editSome = async (world: World, chance: Chance, caller: Caller): Promise<void> => {
  const { queues, partitions } = world.plan
  const queue = chance.pick(queues.filter((q) => !q.isForWork)).name
  const partition = partitionOf(queue, partitions)
  const found = world.truth.ledgers[partition]!.queueNamed(queue)
  if (found === undefined || found.messages.size === 0) return
  const all = [...found.messages.values()]
  const waiting = all.filter(waits)
  const messages = waiting.length > 0 && chance.happens(0.8) ? waiting : all
  const end = 1 + chance.below(messages.length)
  for (const { number, label } of messages.slice(Math.max(0, end - chance.pick([1, 3])), end).reverse())
    try {
      await caller.ask(partition, {
        type: 'EditBody',
        queue,
        number,
        messageId: messageId({ incarnation: world.log.meta.incarnation, partition, queue: found.id, number }),
        body: encoder.encode(label.padEnd(label.length + chance.pick([1, 50, 2_000, 70_000]))),
        by,
      })
    } catch (error) {
      if (!isKirokuError(error) || !expected.has(error.id)) throw error
    }
}

const waits = ({ lives }: Message): boolean => [...lives.values()].some(({ state }) => state === 'Available')

/** It has ended or is in flight, or was given up with the end of a log, or its queue is gone. */
const expected: ReadonlySet<string> = new Set([
  'NotEditable',
  'UnknownMessage',
  'UnknownQueue',
  'BodyTooLarge',
  'BodyMismatch',
])
