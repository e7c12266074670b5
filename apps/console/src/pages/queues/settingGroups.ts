import { canonical, defaultQueueConfig, queueSettings, type QueueConfig } from '@kiroku/protocol'

/** The settings of a queue in the order in which people ask for them. */
const groups: readonly (readonly [title: string, keys: readonly string[]])[] = [
  ['Delivery', ['leaseMs', 'leaseMinMs', 'leaseCapMs', 'lateHandles', 'deliveryDelayMs', 'receiveWaitMs']],
  ['Failure', ['retriesMax', 'retry', 'exhaustion', 'deadLetter']],
  ['Limits', ['rateMax', 'inflightMax', 'concurrencyMax']],
  ['Batches', ['batchMessages', 'batchWaitMs', 'batchBytes']],
  ['Order and repeats', ['groups', 'dedup', 'dedupScope', 'dedupWindowMs']],
  ['Keeping', ['retentionMs', 'retentionFrom', 'erasable', 'idleMs']],
]

/** The settings by group; those that no group names come last. */
export const settingGroups: readonly (readonly [title: string, keys: readonly (keyof QueueConfig)[]])[] = [
  ...groups,
  ['Bodies', Object.keys(queueSettings).filter((key) => !groups.some(([, keys]) => keys.includes(key)))],
] as never

/** Whether a setting is as it is for a queue of which nothing was said. */
export const isDefault = (key: keyof QueueConfig, value: unknown): boolean =>
  JSON.stringify(canonical(value)) === JSON.stringify(canonical(defaultQueueConfig[key]))

/** Those that are decided when a queue is created, once and for all. */
export const isSetOnce = (key: string): boolean => key === 'groups' || key === 'erasable'
