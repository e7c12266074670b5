import { deferral, isBackPressure } from './BackPressure.ts'
import type { ConsumedMessage } from './Batch.ts'
import type { HandleBatch, Handling, MessageHandler } from './Consumer.ts'
import { errorText } from './Settlement.ts'
import { readable } from './readable.ts'

type Failed = (error: unknown, message: ConsumedMessage) => void

/**
 * Runs the messages of a batch concurrently, those of an ordered group one after another, and lets each fail, or
 * wait, on its own.
 */
export const handleEach =
  <T>(handler: MessageHandler<T>, failed: Failed): HandleBatch<T> =>
  ({ messages }, handling) =>
    handling.inTurn
      ? handleInTurn(messages, handler, failed, handling)
      : Promise.all(
          messages.map(async (message) => {
            await handleOne(message, handler, failed)
            message.end()
            handling.ended(1)
          }),
        )

/** Gives back the rest of a group once a message of it comes again, the consumer stops, or the lease is lost. */
const handleInTurn = async <T>(
  group: readonly ConsumedMessage<T>[],
  handler: MessageHandler<T>,
  failed: Failed,
  { stopping, ended }: Handling,
): Promise<void> => {
  for (const [i, message] of group.entries()) {
    if (i > 0 && (group[i - 1]!.comesAgain || stopping.aborted || message.signal.aborted)) {
      for (const rest of group.slice(i)) rest.release()
      return
    }
    await handleOne(message, handler, failed)
    ended(1)
  }
}

const handleOne = async <T>(
  message: ConsumedMessage<T>,
  handler: MessageHandler<T>,
  failed: Failed,
): Promise<void> => {
  try {
    await handler(message)
    message.ack()
  } catch (thrown) {
    const error = readable(thrown)
    failed(error, message)
    if (isBackPressure(error)) return message.release(deferral(error))
    message.retry({ error: errorText(error) })
  }
}
