import { isKirokuError } from '@kiroku/protocol'
import type { ClientEvent } from '../ClientEvent.ts'
import { giveValue, type MessageView } from '../MessageView.ts'
import { checkBody } from './checkBody.ts'
import type { QueueDefinition } from './defineQueue.ts'

/** What to do with a message whose body cannot be delivered to the handler. */
interface Misfits<M> {
  /** Its body does not fit, and never will. */
  readonly deadLetter: (message: M, error: string) => unknown
  /** Its schema failed; another attempt may help. */
  readonly retry: (message: M, error: string) => unknown
  readonly emit: (event: ClientEvent) => void
}

/**
 * The messages whose bodies fit, with their values; the others are settled. Resolves when all are settled.
 */
export const fittingMessages = async <M extends MessageView>(
  definition: QueueDefinition,
  messages: readonly M[],
  { deadLetter, retry, emit }: Misfits<M>,
): Promise<M[]> => {
  const queue = definition.name
  const checked = await Promise.all(
    messages.map(async (message) => {
      try {
        giveValue(message, await checkBody(definition, message.text()))
        return [message]
      } catch (error) {
        const { id: messageId, attempt } = message
        if (isKirokuError(error) && error.id === 'BodyMismatch') {
          emit({ type: 'bodyMismatch', queue, messageId, error })
          await deadLetter(message, error.message)
        } else {
          emit({ type: 'handlerFailed', queue, error, messages: 1, messageId, attempt })
          await retry(message, error instanceof Error ? error.message : String(error))
        }
        return []
      }
    }),
  )
  return checked.flat()
}
