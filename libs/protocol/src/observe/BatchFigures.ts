import { mergeFigures } from './QueueTimes.ts'
import type { TimeFigures } from './TimeCounts.ts'

/** How full the batches of a subscription were, and what that cost. */
export interface BatchFigures {
  /** Batches, each an invocation of a handler, and the messages in them. A consumer may cut a delivery into several. */
  readonly deliveries: number
  readonly messages: number
  /** How long messages waited for others to fill their batch, in ms, each delivery counted; absent: no deliveries. */
  readonly waited?: TimeFigures
}

/** The figures of what was delivered lately. */
export interface RecentBatches extends BatchFigures {
  /** The most messages that a batch was to have. */
  readonly messagesMax: number
}

/** Messages per delivery. */
export const batchFill = ({ deliveries, messages }: BatchFigures): number =>
  deliveries === 0 ? 0 : messages / deliveries

/** Deliveries per 1,000 messages. */
export const deliveriesPer1000 = ({ deliveries, messages }: BatchFigures): number =>
  messages === 0 ? 0 : (deliveries * 1_000) / messages

/** The figures of several places as one. */
export const mergeBatches = (parts: readonly BatchFigures[]): BatchFigures => {
  const waited = mergeFigures(parts.map((part) => part.waited))
  return {
    deliveries: parts.reduce((sum, { deliveries }) => sum + deliveries, 0),
    messages: parts.reduce((sum, { messages }) => sum + messages, 0),
    ...(waited === undefined ? {} : { waited }),
  }
}

/** The same of what was delivered lately; undefined where nothing was. */
export const mergeRecentBatches = (
  parts: readonly (RecentBatches | undefined)[],
): RecentBatches | undefined => {
  const known = parts.filter((part) => part !== undefined)
  return known.length === 0
    ? undefined
    : { ...mergeBatches(known), messagesMax: Math.max(...known.map(({ messagesMax }) => messagesMax)) }
}
