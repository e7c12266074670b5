import type { QueueAddress } from '../event/QueueAddress.ts'
import { address, bytes, listOf, number, numbers, optional, shape, text, type Shapes } from './shape.ts'

/** What partitions pass on to each other. */
export type ForwardCommand =
  /** From another partition's outbox: a window of dead letters and redriven messages, in order. */
  | {
      type: 'Forward'
      from: QueueAddress
      target: number
      /** Name of the target: when that is gone, the answer says which queue has its name now. */
      name?: string
      forward: number
      messages: readonly Uint8Array[]
      enqueuedAt: readonly number[]
      tags?: readonly string[]
      groups?: readonly string[]
      /** The only subscription that each is for; empty: all. */
      subscriptions?: readonly string[]
      /** What new lanes began with there when this left, as stored; absent: an older node does not say. */
      first?: number
    }
  /** From another partition: lanes to here that it closed, as pairs of source and target queue, up to `first`. */
  | { type: 'ForgetLanes'; from: number; lanes: readonly number[]; first: number }

/** Answers by command type. */
export interface ForwardAnswers {
  /**
   * Of a target that is gone: the number below which it had stored forwards, absent in an answer of an older node; and
   * the queue that has its name now, if there is one.
   */
  Forward:
    | { readonly outcome: 'stored'; readonly upTo: number }
    | {
        readonly outcome: 'targetGone'
        readonly upTo: number
        readonly stored?: number
        readonly again?: number
      }
  ForgetLanes: Readonly<Record<never, never>>
}

/** What each of these commands must hold; ranges and meaning are the partition's to check. */
export const forwardShapes: Shapes<ForwardCommand> = {
  Forward: shape({
    from: address,
    target: number,
    name: optional(text),
    forward: number,
    messages: listOf(bytes),
    enqueuedAt: numbers,
    tags: optional(listOf(text)),
    groups: optional(listOf(text)),
    subscriptions: optional(listOf(text)),
    first: optional(number),
  }),
  ForgetLanes: shape({ from: number, lanes: numbers, first: number }),
}
