import type { QueueState } from '../state/QueueState.ts'
import type { Subscription } from '../state/Subscription.ts'

/**
 * Generations whose filter a message with this tag does not pass; nothing when it passes all.
 * @param only generation that it is for; absent: all
 */
export const filteredSubs = (queue: QueueState, tag: string, only?: number): number[] | undefined => {
  let filtered: number[] | undefined
  const { subs } = queue
  for (let i = 0; i < subs.length; i++) {
    const { id } = subs[i]!
    if (!passes(subs[i]!, tag) || (only !== undefined && id !== only)) (filtered ??= []).push(id)
  }
  return filtered
}

/** Whether a message with this tag passes the filter of a subscription. */
export const passes = ({ tags }: Subscription, tag: string): boolean => tags === null || tags.includes(tag)
