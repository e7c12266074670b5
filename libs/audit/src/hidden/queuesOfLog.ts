import type { Log } from '@kiroku/log'
import type { PastOptions } from '../past/PastLog.ts'
import { PastReader } from '../past/PastReader.ts'
import type { KnownQueue } from './Hiding.ts'

/** The queues of a log now, from the log alone. Errors: those of the log. */
export const queuesOfLog = async (log: Log, options: PastOptions): Promise<KnownQueue[]> => {
  const looker = new PastReader(log, options)
  try {
    const { all } = await looker.all({ time: options.now })
    return all.flatMap(({ partition, state }) =>
      [...state.queues.values()].map(({ id, config }) => ({ partition, queue: id, config })),
    )
  } finally {
    await looker.close()
  }
}
