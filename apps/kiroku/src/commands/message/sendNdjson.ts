import type { BatchOptions, Client, OutgoingMessage } from '@kiroku/client'
import { isKirokuError, KirokuError } from '@kiroku/protocol'

/** Messages per batch, and batches in flight. */
const batchMessagesMax = 500
const batchBytesMax = 256 * 1024
const batchesInFlightMax = 8

/** A body to send. */
export interface BodyBytes {
  readonly bytes: Uint8Array
}

/**
 * Sends each line as a message, in order, several batches at once. If the input turns out to be malformed,
 * what came before is sent, and the error says so. Errors: those of the input and of `sendBatch`; `Stopped`
 * when `signal` is aborted.
 */
export const sendNdjson = async (
  client: Pick<Client, 'sendBatch'>,
  queue: string,
  lines: AsyncIterable<BodyBytes> | Iterable<BodyBytes>,
  options: BatchOptions,
  signal: AbortSignal,
  onSent: (sent: number) => void,
): Promise<number> => {
  let sent = 0
  let batch: OutgoingMessage[] = []
  let batchBytes = 0
  const inFlight = new Set<Promise<void>>()
  const failures: unknown[] = []
  const flush = (): void => {
    const messages = batch
    batch = []
    batchBytes = 0
    const sending = client
      .sendBatch(queue, messages, options)
      .then(
        ({ messageIds }) => onSent((sent += messageIds.length)),
        (error: unknown) => void failures.push(error),
      )
      .finally(() => inFlight.delete(sending))
    inFlight.add(sending)
  }
  try {
    for await (const { bytes } of lines) {
      if (signal.aborted) throw new KirokuError('Stopped', 'the send was interrupted')
      batch.push({ body: bytes })
      batchBytes += bytes.length
      if (batch.length < batchMessagesMax && batchBytes < batchBytesMax) continue
      flush()
      if (inFlight.size >= batchesInFlightMax) await Promise.race(inFlight)
      if (failures.length > 0) break
    }
  } catch (error) {
    failures.push(error)
  }
  if (batch.length > 0) flush()
  await Promise.all(inFlight)
  if (failures.length > 0) throw withCount(failures[0], sent)
  return sent
}

const withCount = (error: unknown, sent: number): unknown =>
  isKirokuError(error)
    ? new KirokuError(error.id, `${error.message} (${sent} messages were sent before)`, {
        cause: error.cause,
        retryAfterMs: error.retryAfterMs,
      })
    : error
