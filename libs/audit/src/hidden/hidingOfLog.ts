import type { Log } from '@kiroku/log'
import type { PastOptions } from '../past/PastLog.ts'
import { PastReader } from '../past/PastReader.ts'
import { Hiding, type KnownQueue } from './Hiding.ts'

/** What the queues of a log hide now, from the log alone; a deleted queue hides. Errors: those of the log. */
export const hidingOfLog = async (log: Log, options: PastOptions): Promise<Hiding> =>
  new Hiding(await queuesOfLog(log, options))

/** The queues of a log now. Errors: those of the log. */
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
