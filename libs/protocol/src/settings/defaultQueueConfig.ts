import type { QueueConfig } from './QueueConfig.ts'
import { queueSettings } from './queueSettings.ts'

/** The defaults of the native door. */
export const defaultQueueConfig = Object.fromEntries(
  Object.entries(queueSettings).map(([name, row]) => [name, row.default]),
) as unknown as QueueConfig
