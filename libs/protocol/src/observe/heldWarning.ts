import type { OutboxDescription } from './QueueDescription.ts'

/** What must be done so that messages arrive; undefined: nothing. */
export const heldWarning = ({ to, messages, held }: OutboxDescription): string | undefined => {
  if (held === undefined) return undefined
  const waiting = `${messages} of its messages ${messages === 1 ? 'waits' : 'wait'} to go to queue "${to}"`
  const since = `known since ${new Date(held.since).toISOString()}`
  return held.reason === 'targetGone'
    ? `${waiting}, which was deleted (${since}): create it again, or for dead letters set another dead-letter queue.`
    : `${waiting}, where the subscription that they are for was deleted (${since}): create it again.`
}
