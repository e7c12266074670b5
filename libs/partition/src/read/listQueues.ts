import { type Answers, firstPlace, type QueuesPage } from '@kiroku/protocol'
import type { Ownership } from '../ownership/Ownership.ts'
import { namesDeadLetter } from '../queue/namesDeadLetter.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import { describeQueues } from './describe.ts'

/** All queues, described, or those that a page asks for. */
export const listQueues = (
  own: Ownership,
  page: QueuesPage | undefined,
  now: number,
): Answers['ListQueues'] => {
  const { state } = own
  if (page === undefined) return { queues: describeQueues(state, state.queues.values(), now, own) }
  if (page.deadLetter !== undefined && !own.isDeadLetterQueue(page.deadLetter))
    return { queues: [], names: [] }
  const names = namesOf(state, page)
  if (page.described !== true) return { queues: [], names }
  const queues = names.map((name) => state.names.get(name)!)
  return { queues: describeQueues(state, queues, now, own), names }
}

/** The names of the queues that a page asks for, in order: one pass over the names, whatever the queues hold. */
const namesOf = (
  { queues }: PartitionState,
  { max, prefix = '', after = '', deadLetter, described = false }: QueuesPage,
): string[] => {
  const names: string[] = []
  for (const queue of queues.values()) {
    const { name, place } = queue
    if ((place !== undefined && !described) || name <= after || !name.startsWith(prefix)) continue
    if (deadLetter !== undefined && !namesDeadLetter(queue, deadLetter)) continue
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
