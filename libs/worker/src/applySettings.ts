import type { Client, QueueSettings } from '@kiroku/client'
import { isKirokuError, type ErrorId } from '@kiroku/message'
import type { ConsumerConfig, WorkerConfig } from './WorkerConfig.ts'

/** Creates what the Worker consumes where it is missing, and changes what the configuration says otherwise. */
export const applySettings = async (client: Client, config: WorkerConfig): Promise<void> => {
  for (const [queue, settings] of settingsByQueue(config)) await applyQueue(client, queue, settings)
  for (const consumer of config.consumers) {
    const { queue, subscription } = consumer
    if (subscription !== undefined)
      await applySubscription(client, queue, subscription, consumerSettings(consumer))
  }
}

/** The settings that a Worker's configuration has for each queue. */
const settingsByQueue = (config: WorkerConfig): Map<string, QueueSettings> => {
  const all = new Map<string, QueueSettings>()
  const add = (queue: string, settings: QueueSettings): void =>
    void all.set(queue, { ...all.get(queue), ...settings })
  for (const { queue, deliveryDelayMs } of config.producers ?? [])
    add(queue, deliveryDelayMs === undefined ? {} : { deliveryDelayMs })
  for (const consumer of config.consumers)
    add(consumer.queue, consumer.subscription === undefined ? consumerSettings(consumer) : {})
  return all
}

/** What a consumer sets for its queue or for its subscription. */
const consumerSettings = (consumer: ConsumerConfig) => {
  const { batchMessages, batchWaitMs, retriesMax, deadLetter, retryDelayMs, leaseMs } = consumer
  return {
    ...(batchMessages === undefined ? {} : { batchMessages }),
    ...(batchWaitMs === undefined ? {} : { batchWaitMs }),
    ...(retriesMax === undefined ? {} : { retriesMax }),
    ...(deadLetter === undefined ? {} : { deadLetter }),
    ...(retryDelayMs === undefined ? {} : { retry: { kind: 'fixed', delayMs: retryDelayMs } as const }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  }
}

const applyQueue = async (client: Client, queue: string, settings: QueueSettings): Promise<void> => {
  const current = await describe(client, queue)
  // Somebody else may create it meanwhile, with other settings.
  if (current === undefined && (await isCreated(client.queues.create(queue, settings), 'QueueExists'))) return
  if (differ(settings, current?.config)) await client.queues.update(queue, settings)
}

const applySubscription = async (
  client: Client,
  queue: string,
  name: string,
  settings: QueueSettings,
): Promise<void> => {
  const { subscriptions } = client.queues
  const current = (await client.queues.describe(queue)).subscriptions.find((sub) => sub.name === name)
  if (
    current === undefined &&
    (await isCreated(subscriptions.create(queue, name, settings), 'SubscriptionExists'))
  )
    return
  if (differ(settings, current?.config)) await subscriptions.update(queue, name, settings)
}

/** False when there is one already, with other settings. */
const isCreated = async (creation: Promise<unknown>, exists: ErrorId): Promise<boolean> => {
  try {
    await creation
    return true
  } catch (error) {
    if (isKirokuError(error) && error.id === exists) return false
    throw error
  }
}

const differ = (settings: QueueSettings, current: Described['config'] | undefined): boolean => {
  const config: QueueSettings = { ...current, deadLetter: current?.deadLetter?.name ?? null }
  return (Object.keys(settings) as (keyof QueueSettings)[]).some(
    (key) => JSON.stringify(settings[key]) !== JSON.stringify(config[key]),
  )
}

type Described = Awaited<ReturnType<Client['queues']['describe']>>

const describe = async (client: Client, queue: string): Promise<Described | undefined> => {
  try {
    return await client.queues.describe(queue)
  } catch (error) {
    if (isKirokuError(error) && error.id === 'UnknownQueue') return undefined
    throw error
  }
}
