import type { ApplyOptions, QueueSection, QueueSettings } from '@kiroku/client'
import type { ConsumerConfig, WorkerConfig } from './WorkerConfig.ts'

/** The queue settings of a Worker's configuration, for `client.queues.apply`. */
export interface QueueSections extends Required<Pick<ApplyOptions, 'source' | 'newQueue'>> {
  readonly sections: Readonly<Record<string, QueueSection>>
}

/** The batch of a queue that a Worker creates, as on Cloudflare. */
const newQueue = { batchMessages: 10, batchWaitMs: 5_000 } as const

/** The settings of each queue and subscription in a Worker's configuration, under the Worker's name. */
export const queueSections = ({ name, producers = [], consumers }: WorkerConfig): QueueSections => {
  const sections: Record<string, QueueSection> = {}
  const add = (queue: string, section: QueueSection): void => {
    sections[queue] = { ...sections[queue], ...section }
  }
  for (const { queue, deliveryDelayMs } of producers)
    add(queue, deliveryDelayMs === undefined ? {} : { deliveryDelayMs })
  for (const consumer of consumers) {
    const { queue, subscription } = consumer
    const settings = settingsOf(consumer)
    add(
      queue,
      subscription === undefined
        ? settings
        : { subscriptions: { ...sections[queue]?.subscriptions, [subscription]: settings } },
    )
  }
  return { source: name === undefined ? 'worker' : `worker ${name}`, sections, newQueue }
}

/** What a consumer sets for its queue or for its subscription. */
const settingsOf = (consumer: ConsumerConfig): QueueSettings => {
  const { batchMessages, batchWaitMs, retriesMax, deadLetter, retryDelayMs, leaseMs } = consumer
  return {
    ...(batchMessages === undefined ? {} : { batchMessages }),
    ...(batchWaitMs === undefined ? {} : { batchWaitMs }),
    ...(retriesMax === undefined ? {} : { retriesMax }),
    ...(deadLetter === undefined ? {} : { deadLetter }),
    ...(retryDelayMs === undefined ? {} : { retry: { kind: 'fixed', delayMs: retryDelayMs } }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  }
}
