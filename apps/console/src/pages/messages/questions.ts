import type { FoundMessage, Reached } from './FoundMessage.ts'
import { withQueue } from './searchText.ts'
import type { Question } from './useFoundMessages.ts'

interface SearchAnswer {
  readonly messages: readonly FoundMessage[]
  readonly cursor?: string
  readonly reached: readonly Reached[]
  readonly bodiesNotIndexed?: readonly string[]
}

/** Asks the index for messages that pass a filter. */
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

/** Asks for the messages of a queue that were not final at a moment and pass a filter; without a queue, for nothing. */
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
