import type { KirokuError } from '@kiroku/protocol'
import { isBackPressure, type BackPressure } from './BackPressure.ts'
import type { MessageView } from './MessageView.ts'

/** Something that a client does by itself and a program may want to log. */
export type ClientEvent =
  | {
      /** Requests to a partition failed and are repeated after a pause. */
      readonly type: 'retrying'
      readonly partition: number
      readonly error: KirokuError
      readonly delayMs: number
    }
  | {
      /**
       * A partition has not answered for a second; reported once, until `engineBack`. Requests are still
       * repeated.
       */
      readonly type: 'engineLost'
      readonly partition: number
      readonly error: KirokuError
    }
  | {
      /** Every partition in use answers again. */
      readonly type: 'engineBack'
      readonly awayMs: number
    }
  | { readonly type: 'ownerChanged'; readonly partition: number; readonly epoch: number }
  | {
      /** A consumed queue has settings that are rarely intended; reported once per queue. */
      readonly type: 'queueWarning'
      readonly queue: string
      readonly warning: string
    }
  | {
      /** A handler threw or rejected; what it did not settle is retried. */
      readonly type: 'handlerFailed'
      readonly queue: string
      readonly error: unknown
      /** Messages that are retried, the id of the first of them, and which attempt this was. */
      readonly messages: number
      readonly messageId: string
      readonly attempt: number
    }
  | {
      /** A handler threw a `BackPressure`: what it did not settle is given back, and waits without losing an attempt. */
      readonly type: 'backPressure'
      readonly queue: string
      readonly error: BackPressure
      /** Messages of the batch, and the id of the first of them. */
      readonly messages: number
      readonly messageId: string
    }
  | {
      /**
       * A handler asked for a delay beyond the longest, in ms, which was capped; reported once per consumer,
       * recorded for each message.
       */
      readonly type: 'delayHeld'
      readonly queue: string
      readonly messageId: string
      readonly delayMs: number
      readonly heldToMs: number
    }
  | {
      /** The body of a message does not fit its queue's schema: it is dead-lettered, or discarded without a dead-letter queue. */
      readonly type: 'bodyMismatch'
      readonly queue: string
      readonly messageId: string
      readonly error: KirokuError
    }
  | {
      /** A lease was not renewed in time; others may receive these messages. */
      readonly type: 'leaseLost'
      readonly queue: string
      readonly receipts: readonly string[]
      readonly error: KirokuError
    }
  | {
      /** Work took too long; its lease is no longer renewed and others receive these messages when it ends. */
      readonly type: 'leaseAbandoned'
      readonly queue: string
      readonly receipts: readonly string[]
      readonly error: KirokuError
    }
  | {
      /** A verdict was refused or did not reach the engine. */
      readonly type: 'settleFailed'
      readonly queue: string
      readonly receipts: readonly string[]
      readonly error: KirokuError
    }
  | {
      /** A delivery arrived without a receive, or too late to start work, and was given back. */
      readonly type: 'released'
      readonly partition: number
      readonly messages: number
    }
  | {
      /** A reply arrived that no request waits for: late, or a duplicate. */
      readonly type: 'replyDropped'
      readonly queue: string
      readonly correlationId: string
    }
  | {
      /** A consumer ended with an error. */
      readonly type: 'consumerFailed'
      readonly queue: string
      readonly error: KirokuError
    }

/** The event of a handler that threw. `messages`: how many it had, of which this is the first. */
export const thrownEvent = (
  queue: string,
  error: unknown,
  { id: messageId, attempt }: MessageView,
  messages: number,
): ClientEvent =>
  isBackPressure(error)
    ? { type: 'backPressure', queue, error, messages, messageId }
    : { type: 'handlerFailed', queue, error, messages, messageId, attempt }
