import { isKirokuError, KirokuError, type MessageAddress, parseMessageId } from '@kiroku/protocol'
import type { Granted } from './Granted.ts'
import type { QueueNames } from './QueueNames.ts'

/** A message by its id, and the log. */
interface Named {
  readonly id: string
  readonly incarnation: string
}

/**
 * Requires the role to move a message that is not due yet. One in a queue that the caller may not know of is answered as one of
 * a queue that does not exist. Errors: `UnknownMessage`, `Forbidden`.
 */
export const requireRevision = async (
  granted: Granted,
  names: QueueNames,
  { id, incarnation }: Named,
): Promise<void> => {
  if (!granted.differs) return
  const address = addressOf(id)
  // What is no id of this log is told by the client.
  if (address === undefined || address.incarnation !== incarnation) return
  const queue = await names.of(address, granted.sees)
  if (queue === undefined)
    throw new KirokuError('UnknownMessage', `there is no message ${address.number} in queue ${address.queue}`)
  granted.require('operator', queue)
}

const addressOf = (id: string): MessageAddress | undefined => {
  try {
    return parseMessageId(id)
  } catch (error) {
    if (isKirokuError(error)) return undefined
    throw error
  }
}
