import type { Client } from '@kiroku/client'
import { waitUntil } from '@kiroku/testkit'
import { sources } from './queues.ts'
import type { Work } from './Work.ts'

/** Messages of each partition. They are sent in small batches, each of which becomes records of its own. */
const messages = 4_000
const batch = 20
const agedMs = 120_000
/** Above all labels of what is sent later. */
const firstLabel = 1_000_000_000

/** Lets messages live and end in every partition, so that its log is old when a run begins. */
export const ageLog = async (client: Client): Promise<void> => {
  let label = firstLabel
  const consumers = sources.map((queue) => client.consume(queue, () => {}))
  await Promise.all(
    sources.map(async (queue) => {
      for (let sent = 0; sent < messages; sent += batch)
        await client.sendBatch(
          queue,
          Array.from({ length: batch }, () => ({ body: { label: label++, task: 'ack' } satisfies Work })),
        )
    }),
  )
  const areDone = async (): Promise<boolean> =>
    (await Promise.all(sources.map((queue) => client.queues.describe(queue)))).every(
      ({ counts }) => counts.committed === messages,
    )
  await waitUntil(areDone, { timeoutMs: agedMs, what: 'the messages of old have ended' })
  await Promise.all(consumers.map((consumer) => consumer.stop()))
}
