import type { FoundMessage, Reached } from './FoundMessage.ts'
import { withQueue } from './searchText.ts'
import type { Question } from './useFoundMessages.ts'

interface SearchAnswer {
  readonly messages: readonly FoundMessage[]
  readonly cursor?: string
  readonly reached: readonly Reached[]
  readonly bodiesNotIndexed?: readonly string[]
}

/** Fetches messages that match a filter from the index. */
export const searchQuestion = (filter: string, queue: string | undefined): Question => ({
  path: '/v1/search',
  params: { q: withQueue(filter, queue) },
  cursor: 'cursor',
  pageOf: (answer) => {
    const { messages, ...rest } = answer as SearchAnswer
    return { rows: messages, ...rest }
  },
})

interface MomentAnswer {
  readonly messages: readonly (Pick<
    FoundMessage,
    'messageId' | 'partition' | 'number' | 'state' | 'attempt' | 'group'
  > & { readonly subscription?: string; readonly enqueuedAt: number })[]
  readonly messagesTotal: number
  readonly next?: string
}

/**
 * Fetches the messages of a queue that were not final at a moment and match a filter; none without a queue.
 */
export const momentQuestion = (filter: string, queue: string | undefined, at: string): Question => ({
  path: queue === undefined ? undefined : `/v1/queues/${encodeURIComponent(queue)}/state`,
  params: { at, ...(filter === '' ? {} : { where: filter }) },
  cursor: 'after',
  pageOf: (answer) => {
    const { messages, messagesTotal, next } = answer as MomentAnswer
    const rows = messages.map(
      ({ messageId, partition, number, state, attempt, group = '', subscription = 'main', enqueuedAt }) => ({
        ...{ messageId, partition, number, state, attempt, group, subscription },
        queue: queue ?? '',
        sentAt: enqueuedAt,
        reason: '',
        error: '',
      }),
    )
    return { rows, total: messagesTotal, ...(next === undefined ? {} : { cursor: next }) }
  },
})
