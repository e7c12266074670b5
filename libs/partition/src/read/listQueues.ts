import { type Answers, firstPlace, type QueuesPage } from '@kiroku/protocol'
import type { Ownership } from '../ownership/Ownership.ts'
import type { QueueState } from '../state/QueueState.ts'
import { describeQueues } from './describe.ts'

/** All queues, described, or those that a page asks for. */
export const listQueues = (
  own: Ownership,
  page: QueuesPage | undefined,
  now: number,
): Answers['ListQueues'] => {
  const { state } = own
  if (page === undefined) return { queues: describeQueues(state, state.queues.values(), now, own) }
  const { deadLetter } = page
  const names = namesOf(deadLetter === undefined ? state.queues.values() : own.namersOf(deadLetter), page)
  if (page.described !== true) return { queues: [], names }
  const queues = names.map((name) => state.names.get(name)!)
  return { queues: describeQueues(state, queues, now, own), names }
}

/** The names of those queues that a page asks for, in order: one pass over the names, whatever the queues hold. */
const namesOf = (
  queues: Iterable<QueueState>,
  { max, prefix = '', after = '', described = false }: QueuesPage,
): string[] => {
  const names: string[] = []
  for (const { name, place } of queues) {
    if ((place !== undefined && !described) || name <= after || !name.startsWith(prefix)) continue
    if (names.length >= max && name > names.at(-1)!) continue
    names.splice(
      firstPlace(names.length, (i) => names[i]! > name),
      0,
      name,
    )
    if (names.length > max) names.pop()
  }
  return names
}
