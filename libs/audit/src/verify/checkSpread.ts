import type { PartitionState, QueueState } from '@kiroku/partition'
import { isSameQueue, type LogEventOf } from '@kiroku/protocol'

/** A fact about the parts of a spread queue. */
type SpreadEvent = LogEventOf<
  'QueueSpread' | 'PartOpened' | 'PartClosed' | 'PartGone' | 'PartPlaced' | 'PartLeft'
>

/** Why a fact about parts is impossible in the state before it; undefined: it is possible. */
export const checkSpread = (
  state: PartitionState,
  queue: QueueState | undefined,
  e: SpreadEvent,
): string | undefined => {
  switch (e.type) {
    case 'QueueSpread':
      return checkParts(state, queue, e)
    case 'PartOpened':
    case 'PartClosed': {
      const part = queue?.spread?.parts.find((p) => p.partition === e.partition)
      const isMeant = e.type === 'PartOpened' ? part?.state !== 'sealed' : part?.state === 'sealed'
      return part !== undefined && isMeant
        ? undefined
        : `the part of queue ${e.queue} in partition ${e.partition} is ${part?.state ?? 'unknown'}`
    }
    case 'PartGone':
      return state.leaving.some((l) => l.queue === e.queue && l.partition === e.partition)
        ? undefined
        : `no part of queue ${e.queue} was to go from partition ${e.partition}`
    case 'PartPlaced': {
      const before = queue?.place
      if (queue === undefined || queue.spread !== undefined) return `queue ${e.queue} is not a part`
      if (before === undefined) return undefined
      if (!isSameQueue(before.home, e.home)) return `the part ${e.queue} changes its home`
      return before.revision < e.revision ? undefined : `the part ${e.queue} falls back to ${e.revision}`
    }
    case 'PartLeft':
      for (const { place } of state.queues.values())
        if (place !== undefined && isSameQueue(place.home, e.home))
          return `a part of ${e.home.partition}/${e.home.queue} is still there`
      return undefined
  }
}

const checkParts = (
  { partition }: PartitionState,
  queue: QueueState | undefined,
  { parts, queue: id }: LogEventOf<'QueueSpread'>,
): string | undefined => {
  if (queue === undefined || queue.place !== undefined) return `queue ${id} is not a home`
  const places = new Set(parts.map((p) => p.partition))
  if (places.size !== parts.length || places.has(partition)) return `queue ${id} has two parts in one place`
  if (queue.spread?.parts.some((p) => !places.has(p.partition)) === true)
    return `queue ${id} forgets a part that is not closed`
  return undefined
}
