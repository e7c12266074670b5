import type { QueueSection, QueueSettings } from '@kiroku/client'
import type { ConsumerConfig, WorkerConfig } from './WorkerConfig.ts'

/** What a Worker's configuration says of queues, for `client.queues.apply`. */
export interface QueueSections {
  readonly source: string
  readonly sections: Readonly<Record<string, QueueSection>>
}

/** The settings that a Worker's configuration has for each queue and subscription, under the Worker's name. */
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
  return { source: name === undefined ? 'worker' : `worker ${name}`, sections }
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
