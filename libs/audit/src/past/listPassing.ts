import { State, stateNames } from '@kiroku/protocol'
import type { Filter } from '../filter/Filter.ts'
import { passesFilter, type FilteredMessage } from '../filter/passesFilter.ts'
import type { PastPart } from './PastLog.ts'
import { listMessages, type ListOptions, type MessageList, type MessagePlace } from './listMessages.ts'
import { type StandingMessage } from './messageSpans.ts'

/** Messages materialized at a time while filtering. */
const lookedAtMax = 10_000

/** Like `listMessages`, but only what passes a filter of `parseMomentFilter`. Looks at every message once. */
export const listPassing = (
  name: string,
  { state, queue, partition }: Pick<PastPart, 'state' | 'queue' | 'partition'>,
  { text, conditions }: Filter,
  options: ListOptions,
): MessageList => {
  const ofStates = conditions.filter((each) => each.field === 'state')
  const isWanted = (code: State): boolean =>
    (options.states?.includes(code) ?? true) &&
    ofStates.every(({ states, not }) => states.includes(stateNames[code]) !== not)
  const asked = { ...options, states: Object.values(State).filter(isWanted) }
  if (ofStates.length === conditions.length) return listMessages(state, queue, asked)
  const { max, after = { sub: -2, number: 0 } } = options
  const placeOf = ({ subscription, number }: StandingMessage): MessagePlace => ({
    sub: queue.subs.find((sub) => sub.name === subscription)?.id ?? -1,
    number,
  })
  const messages: StandingMessage[] = []
  let total = 0
  let last = after
  let next: MessagePlace | undefined
  for (let from: MessagePlace | undefined = { sub: -2, number: 0 }; from !== undefined;) {
    const list: MessageList = listMessages(state, queue, { ...asked, max: lookedAtMax, after: from })
    for (const message of list.messages) {
      if (!passesFilter({ text, conditions }, filtered(name, partition, message))) continue
      total++
      const place = placeOf(message)
      if (place.sub < after.sub || (place.sub === after.sub && place.number <= after.number)) continue
      if (messages.length < max) {
        messages.push(message)
        last = place
      } else next ??= last
    }
    from = list.next
  }
  return { messages, total, ...(next === undefined ? {} : { next }) }
}

/** As filters see it; what the state does not know is empty. */
const filtered = (
  queue: string,
  partition: number,
  { state, subscription = '', number, attempt, group = '', enqueuedAt }: StandingMessage,
): FilteredMessage => ({
  ids: [],
  queue,
  subscription,
  partition,
  number,
  state: stateNames[state],
  attempt,
  reason: '',
  error: '',
  fingerprint: '',
  group,
  tag: '',
  consumer: '',
  producer: '',
  attributes: {},
  redrives: 0,
  at: enqueuedAt,
  sentAt: enqueuedAt,
  payload: () => [],
})
