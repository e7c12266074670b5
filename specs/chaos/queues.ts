import type { Client, QueueSettings } from '@kiroku/client'
import { partitionOf } from '@kiroku/partition'

/** Partitions of the log under test. */
export const partitions = 4

/** A name that lies on the partition. */
const nameOn = (partition: number, stem: string): string => {
  for (let i = 0; ; i++) if (partitionOf(`${stem}-${i}`, partitions) === partition) return `${stem}-${i}`
}

/** One queue a partition that is sent to; its dead letters go to the next partition. */
export const sources: readonly string[] = Array.from({ length: partitions }, (_, p) => nameOn(p, 'orders'))
export const deadLetterQueues: readonly string[] = sources.map((_, p) =>
  nameOn((p + 1) % partitions, 'orders-dlq'),
)

/** Batches close soon and leases are short, so that leases run out and retries come due while kills happen. */
const quick: QueueSettings = { leaseMs: 3_000, batchWaitMs: 20, batchMessages: 50 }

/** Creates every queue, dead-letter queues first. */
export const createQueues = async ({ queues }: Client): Promise<void> => {
  await Promise.all(deadLetterQueues.map((queue) => queues.create(queue, quick)))
  const retries: QueueSettings = { retriesMax: 2, retry: { kind: 'list', delaysMs: [0, 300] } }
  await Promise.all(
    sources.map((queue, i) =>
      queues.create(queue, { ...quick, ...retries, deadLetter: deadLetterQueues[i]! }),
    ),
  )
}
