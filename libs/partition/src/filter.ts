import type { QueueState } from './state/QueueState.ts'

/** Generations whose filter a message with this tag does not pass; nothing when it passes all. */
export const filteredSubs = (queue: QueueState, tag: string): number[] | undefined => {
  let filtered: number[] | undefined
  const { subs } = queue
  for (let i = 0; i < subs.length; i++) {
    const { tags } = subs[i]!
    if (tags !== null && !tags.includes(tag)) (filtered ??= []).push(subs[i]!.id)
  }
  return filtered
}
