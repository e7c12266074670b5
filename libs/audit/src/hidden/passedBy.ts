import { isKirokuError, type Lineage, parseMessageId, type QueueAddress, readPassed } from '@kiroku/protocol'
import type { Passed } from './Hiding.ts'

/**
 * The queues that a message passed, by where it is and the lineage in its envelope.
 * @param near queues that are known otherwise, such as the one it is in
 */
export const passedBy = (near: readonly QueueAddress[], lineage: Lineage | undefined): Passed => {
  if (typeof lineage !== 'object' || lineage === null) return { queues: near, isWhole: true }
  const passed = readPassed(lineage)
  return { queues: [...near, ...firstOf(lineage), ...(passed ?? [])], isWhole: passed !== undefined }
}

/** The queue that the message was first sent to is in its id. */
const firstOf = ({ messageId }: Lineage): QueueAddress[] => {
  try {
    const { partition, queue } = parseMessageId(messageId)
    return [{ partition, queue }]
  } catch (e) {
    // Envelopes are not trusted.
    if (isKirokuError(e) || e instanceof TypeError) return []
    throw e
  }
}
