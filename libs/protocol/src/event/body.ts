import type { Ranges } from '../Ranges.ts'
import type { Actor } from './Actor.ts'
import type { QueueAddress } from './QueueAddress.ts'

/** Bodies: erased, edited, and stored again. */
export type BodyEvent =
  /**
   * The keys of these messages, or of a group so far, are to be deleted: no copy of them can be read
   * them any more. What of it is not final is discarded in the same frame. One of `numbers` and `group` is there.
   */
  | {
      type: 'Erased'
      queue: number
      /** Number of the erasure within its partition. */
      erasure: number
      numbers?: Ranges
      group?: string
      /** Id of the key with which the group goes on. */
      key?: string
      by: Actor
    }
  /** The keys are deleted. */
  | { type: 'KeysDeleted'; queue: number; erasure: number }
  /** A message has another body, which lies in this frame; what was sent stays on record. */
  | {
      type: 'BodyEdited'
      queue: number
      number: number
      /** Bytes of the new body with what is beside it. */
      bytes: number
      by: Actor
    }
  /** Bodies that an old part of the log still held, stored again here so that it can be trimmed. */
  | { type: 'BodiesCarried'; queue: number; numbers: Ranges }
  /** The same for letters on their way from `source` to `target`. */
  | {
      type: 'LettersCarried'
      source: number
      target: QueueAddress
      /** Their forwards, in order. */
      forwards: Ranges
      /** Place of the first body among those that the frame holds of `source`, which may be deleted; the others follow. */
      index: number
    }
