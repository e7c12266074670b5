import { type PartitionState } from '@kiroku/partition'
import { bodyOf, type CommandOf, type KirokuError } from '@kiroku/protocol'
import type { BodySchemas } from './BodySchemas.ts'

/** Why a queue that checks all bodies does not take a send. A repeat of one that it took is answered from memory, not here. */
export const refuseBodies = (
  schemas: BodySchemas,
  { names, producers }: PartitionState,
  { queue: name, messages, producer, send }: CommandOf<'Enqueue'>,
): KirokuError | undefined => {
  const queue = names.get(name)
  if (queue === undefined) return undefined
  const { bodyCheck, bodySchema } = queue.config
  if (bodyCheck !== 'all' || bodySchema === null || producers.find(producer, send) !== undefined)
    return undefined
  return schemas.refuse(
    messages.map((message) => bodyOf(message)),
    bodySchema,
    name,
  )
}
