import type { Client } from '@kiroku/client'
import { describeChange } from '../config/queueFlags.ts'
import type { QueueSections } from '../config/queueSections.ts'
import { localActor } from './localActor.ts'
import type { Logger } from './Logger.ts'

/** Applies the queues of the configuration file to an engine that is ready, and logs the result. */
export const applyQueues = async (
  client: Client,
  { source, sections }: QueueSections,
  logger: Logger,
): Promise<void> => {
  const by = { ...localActor(), reason: `started with ${source}` }
  for (const change of await client.queues.apply(sections, { source, by }))
    if (change.outcome !== 'unchanged')
      logger('info', `queue ${change.outcome}`, {
        queue: change.queue,
        source,
        changes: describeChange(change),
      })
}
