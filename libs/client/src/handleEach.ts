import { deferral, isBackPressure } from './BackPressure.ts'
import type { Batch, ConsumedMessage } from './Batch.ts'
import type { MessageHandler } from './Consumer.ts'
import { readable } from './readable.ts'

/** A batch handler that runs the messages of a batch concurrently and lets each fail, or wait, on its own. */
export const handleEach =
  <T>(handler: MessageHandler<T>, failed: (error: unknown, message: ConsumedMessage) => void) =>
  async (batch: Batch<T>): Promise<void> => {
    await Promise.all(batch.messages.map((message) => handleOne(message, handler, failed)))
  }

const handleOne = async <T>(
  message: ConsumedMessage<T>,
  handler: MessageHandler<T>,
  failed: (error: unknown, message: ConsumedMessage) => void,
): Promise<void> => {
  try {
    await handler(message)
    message.ack()
  } catch (thrown) {
    const error = readable(thrown)
    failed(error, message)
    if (isBackPressure(error)) return message.release(deferral(error))
    message.retry({ error: error instanceof Error ? error.message : String(error) })
  }
}
