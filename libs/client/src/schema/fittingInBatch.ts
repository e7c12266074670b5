import type { ConsumedMessage } from '../Batch.ts'
import type { ClientEvent } from '../ClientEvent.ts'
import { withoutOvertakers } from '../withoutOvertakers.ts'
import type { QueueDefinition } from './defineQueue.ts'
import { fittingMessages } from './fittingMessages.ts'

/** The queue that a batch is from, and who hears of what does not fit. */
interface Delivered {
  readonly isOrdered: boolean
  readonly hasDeadLetter: boolean
  readonly emit: (event: ClientEvent) => void
}

/**
 * The messages of a batch that its handler gets: those whose bodies fit, and in an ordered queue none behind one of its group
 * that comes again. The others have their verdicts.
 */
export const fittingInBatch = async (
  definition: QueueDefinition,
  messages: readonly ConsumedMessage[],
  { isOrdered, hasDeadLetter, emit }: Delivered,
): Promise<readonly ConsumedMessage[]> => {
  const fitting = await fittingMessages(definition, messages, {
    deadLetter: (message, error) =>
      // Without a dead-letter queue a message leaves once its attempts are used up.
      hasDeadLetter ? message.deadLetter(error) : message.retry({ delayMs: 0, error }),
    retry: (message, error) => message.retry({ error }),
    emit,
  })
  return isOrdered ? withoutOvertakers(messages, fitting) : fitting
}
