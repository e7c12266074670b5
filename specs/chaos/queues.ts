import type { Client, QueueSettings } from '@kiroku/client'
import { partitionOf } from '@kiroku/protocol'

/** Partitions of the log under test. */
export const partitions = 4

/** A name that hashes to the partition. */
const nameOn = (partition: number, stem: string): string => {
  for (let i = 0; ; i++) if (partitionOf(`${stem}-${i}`, partitions) === partition) return `${stem}-${i}`
}

/** Plain queues, one on each partition; the dead letters of each go to the next partition. */
export const sources: readonly string[] = Array.from({ length: partitions }, (_, p) => nameOn(p, 'orders'))
export const deadLetterQueues: readonly string[] = sources.map((_, p) =>
  nameOn((p + 1) % partitions, 'orders-dlq'),
)

/** One queue for each feature, all with dead letters in `failed`. */
export const queues = {
  ordered: nameOn(0, 'ledger'),
  fair: nameOn(1, 'tenants'),
  deduplicated: nameOn(2, 'payments'),
  subscribed: nameOn(3, 'news'),
  erasable: nameOn(0, 'patients'),
  spread: nameOn(1, 'clicks'),
  /** Its dead letters are parked until they are corrected and moved back. */
  repaired: nameOn(2, 'repairs'),
} as const
/** Ordered, too: what is sent to it is not awaited one by one. */
export const unawaited = nameOn(3, 'journal')
export const failed = nameOn(3, 'failed')
export const parked = nameOn(1, 'parked')

/** Subscriptions of the queue that has several, besides `main`; the second takes only some tags. */
export const subscriptions = ['billing', 'audit'] as const
export const tags = ['paid', 'open', 'refunded'] as const

/** Batches close soon and leases are short, so that leases run out and retries come due while kills happen. */
const quick: QueueSettings = { leaseMs: 3_000, batchWaitMs: 20, batchMessages: 50 }

/** Creates every queue, dead-letter queues first. */
export const createQueues = async (client: Client): Promise<void> => {
  const create = (queue: string, settings: QueueSettings = {}) =>
    client.queues.create(queue, { ...quick, ...settings })
  await Promise.all([...deadLetterQueues, failed, parked].map((queue) => create(queue)))
  const retries: QueueSettings = {
    retriesMax: 2,
    retry: { kind: 'list', delaysMs: [0, 300] },
    deadLetter: failed,
  }
  await Promise.all([
    ...sources.map((queue, i) => create(queue, { ...retries, deadLetter: deadLetterQueues[i]! })),
    create(queues.ordered, { ...retries, groups: 'ordered', retry: { kind: 'fixed', delayMs: 300 } }),
    create(unawaited, { ...retries, groups: 'ordered', retry: { kind: 'fixed', delayMs: 0 } }),
    create(queues.fair, { ...retries, groups: 'fair' }),
    create(queues.deduplicated, { ...retries, dedup: 'id' }),
    create(queues.subscribed, retries),
    create(queues.erasable, { ...retries, erasable: 'message' }),
    create(queues.spread, retries),
    create(queues.repaired, { ...retries, deadLetter: parked }),
  ])
  const [all, some] = subscriptions
  await client.queues.subscriptions.create(queues.subscribed, all)
  await client.queues.subscriptions.create(queues.subscribed, some, { tags: tags.slice(0, 2) })
  await client.queues.spread(queues.spread, partitions)
}
