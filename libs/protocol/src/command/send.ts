import type { Actor } from '../event/Actor.ts'
import type { Ranges } from '../Ranges.ts'
import type { SpreadView } from './SpreadView.ts'
import { actor, bytes, listOf, number, numbers, optional, queue, shape, text, type Shapes } from './shape.ts'

/** Sends, and changes to what was sent before it is due. */
export type SendCommand =
  | {
      type: 'Enqueue'
      queue: string
      /** Random id of the producer and its number of this send, from 1: together they make a repeat harmless. */
      producer: string
      send: number
      /** Envelopes (see `encodeEnvelope`). */
      messages: readonly Uint8Array[]
      /** Delay of all in ms; absent: the queue's default. */
      delayMs?: number
      /** Delay of each in ms; beats `delayMs`; -1: the default. */
      delaysMs?: readonly number[]
      /** Tag of each, which the filters of subscriptions see; empty: none. */
      tags?: readonly string[]
      /** Message group or tenant of each, in a queue that has groups. */
      groups?: readonly string[]
      /** Dedup id of each, in a queue that deduplicates; empty: its body counts. */
      dedupIds?: readonly string[]
      /** Version of the queue's parts that the sender knows; absent: none. A part takes no others. */
      spread?: number
      /**
       * The send to the queue before this one that had no answer yet, of another producer where it is named. While it
       * is not stored, this one is refused: what is sent without awaiting keeps its order.
       */
      after?: { readonly producer?: string; readonly send: number }
    }
  /** Cancels a message before it is due; `queue` and `number` are those of its id. Counts as a send of the producer. */
  | { type: 'Recall'; queue: number; number: number; producer: string; send: number; by: Actor }
  /** Moves the time at which a message is due: to `delayMs` from now or to `dueAt`, of which there must be one. */
  | {
      type: 'Reschedule'
      queue: number
      number: number
      delayMs?: number
      /** Partition time in ms; a time in the past means at once. */
      dueAt?: number
      producer: string
      send: number
      by: Actor
    }

/** Answers by command type. */
export interface SendAnswers {
  /**
   * `spread`: where else the queue is, unless the sender knows. With `numbers`, these are the messages' in their order:
   * of one that was sent before, that of the first.
   */
  Enqueue: {
    readonly queue: number
    readonly first: number
    readonly count: number
    readonly numbers?: Ranges
    readonly spread?: SpreadView
  }
  Recall: { readonly queue: number; readonly number: number }
  Reschedule: { readonly queue: number; readonly number: number }
}

const revising = { queue: number, number, producer: text, send: number, by: actor }

/** What each of these commands must hold; ranges and meaning are the partition's to check. */
export const sendShapes: Shapes<SendCommand> = {
  Enqueue: shape({
    ...queue,
    producer: text,
    send: number,
    messages: listOf(bytes),
    delayMs: optional(number),
    delaysMs: optional(numbers),
    tags: optional(listOf(text)),
    groups: optional(listOf(text)),
    spread: optional(number),
    dedupIds: optional(listOf(text)),
    after: optional(shape({ producer: optional(text), send: number })),
  }),
  Recall: shape(revising),
  Reschedule: shape({ ...revising, delayMs: optional(number), dueAt: optional(number) }),
}
