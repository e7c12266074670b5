import type { Answers, CommandOf, QueueDescription } from '@kiroku/protocol'
import { limits } from './limits.ts'

/**
 * The queues of one partition, described page by page: however many there are, no turn of the partition takes long. Queues
 * that come or go meanwhile may be among them.
 * @param ask asks the partition; what it throws is thrown
 */
export const listQueues = async (
  ask: (command: CommandOf<'ListQueues'>) => Promise<Answers['ListQueues']>,
): Promise<readonly QueueDescription[]> => {
  const all: QueueDescription[] = []
  const max = limits.describedMax
  for (let after: string | undefined; ;) {
    const page = { max, described: true, ...(after === undefined ? {} : { after }) }
    const { names, queues } = await ask({ type: 'ListQueues', page })
    // Versions before this one know no pages, or only name queues in them.
    if (names === undefined) return queues
    if (queues.length < names.length) return (await ask({ type: 'ListQueues' })).queues
    all.push(...queues)
    if (names.length < max) return all
    after = names.at(-1)
  }
}
