import type { Client } from '@kiroku/client'

/** Messages under way at once. */
const inFlight = 50

/**
 * Keeps a queue busy while `during` lasts: what is sent is received, fails at times, is tried again, is acknowledged or
 * becomes a dead letter.
 */
export const withLoad = async <A>(client: Client, queue: string, during: () => Promise<A>): Promise<A> => {
  await client.queues.create(queue, {
    deadLetter: `${queue}-dlq`,
    retriesMax: 1,
    retry: { kind: 'fixed', delayMs: 200 },
  })
  let isOver = false
  let handled = 0
  const consumer = client.consumeEach(queue, () => {
    if (handled++ % 7 === 0) throw new Error(`timed out after ${handled} ms`)
  })
  const senders = Array.from({ length: inFlight }, async (_, i) => {
    for (let n = 0; !isOver; n++) await client.send(queue, { sender: i, n })
  })
  try {
    return await during()
  } finally {
    isOver = true
    await Promise.all(senders)
    await consumer.stop()
  }
}
