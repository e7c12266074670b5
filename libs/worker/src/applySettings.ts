import type { Client, QueueSettings } from '@kiroku/client'
import { isKirokuError } from '@kiroku/message'
import type { WorkerConfig } from './WorkerConfig.ts'

/** Creates the Worker's queues where they are missing, and changes what the configuration says otherwise. */
export const applySettings = async (client: Client, config: WorkerConfig): Promise<void> => {
  for (const [queue, settings] of settingsByQueue(config)) await applyQueue(client, queue, settings)
}

/** The settings that a Worker's configuration has for each queue. */
const settingsByQueue = (config: WorkerConfig): Map<string, QueueSettings> => {
  const all = new Map<string, QueueSettings>()
  const add = (queue: string, settings: QueueSettings): void =>
    void all.set(queue, { ...all.get(queue), ...settings })
  for (const { queue, deliveryDelayMs } of config.producers ?? [])
    add(queue, deliveryDelayMs === undefined ? {} : { deliveryDelayMs })
  for (const consumer of config.consumers) {
    const { queue, batchMessages, batchWaitMs, retriesMax, deadLetter, retryDelayMs, leaseMs } = consumer
    add(queue, {
      ...(batchMessages === undefined ? {} : { batchMessages }),
      ...(batchWaitMs === undefined ? {} : { batchWaitMs }),
      ...(retriesMax === undefined ? {} : { retriesMax }),
      ...(deadLetter === undefined ? {} : { deadLetter }),
      ...(retryDelayMs === undefined ? {} : { retry: { kind: 'fixed', delayMs: retryDelayMs } }),
      ...(leaseMs === undefined ? {} : { leaseMs }),
    })
  }
  return all
}

const applyQueue = async (client: Client, queue: string, settings: QueueSettings): Promise<void> => {
  const current = await describe(client, queue)
  if (current === undefined) {
    try {
      await client.queues.create(queue, settings)
      return
    } catch (error) {
      // Somebody else created it meanwhile, with other settings.
      if (!isKirokuError(error) || error.id !== 'QueueExists') throw error
    }
  }
  const config: QueueSettings = { ...current?.config, deadLetter: current?.config.deadLetter?.name ?? null }
  const differs = (key: keyof QueueSettings): boolean =>
    JSON.stringify(settings[key]) !== JSON.stringify(config[key])
  if ((Object.keys(settings) as (keyof QueueSettings)[]).some(differs))
    await client.queues.update(queue, settings)
}

const describe = async (client: Client, queue: string) => {
  try {
    return await client.queues.describe(queue)
  } catch (error) {
    if (isKirokuError(error) && error.id === 'UnknownQueue') return undefined
    throw error
  }
}
