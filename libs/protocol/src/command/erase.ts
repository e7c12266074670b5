import type { Actor } from '../event/Actor.ts'
import { act, bytes, number, optional, shape, text, type Shapes } from './shape.ts'

/** Erasing and editing bodies. */
export type EraseCommand =
  /** Deletes the key of one message, named by what its id says, or of all messages of a group so far. Its actor says why. */
  | {
      type: 'Erase'
      queue: string
      message?: { readonly queue: number; readonly number: number }
      group?: string
      by: Actor
    }
  /** Another body for a message that lies in a queue; what is beside the body stays. */
  | {
      type: 'EditBody'
      queue: string
      number: number
      /** Id of the message along its lineage, so that no other is meant. */
      messageId: string
      body: Uint8Array
      /** Absent: as before. */
      contentType?: string
      by: Actor
    }

/** Answers by command type. */
export interface EraseAnswers {
  /** When the keys are gone: messages that were not final, of all subscriptions together. */
  Erase: { readonly erasure: number; readonly discarded: number }
  /** Not edited: it had that body already. */
  EditBody: { readonly queue: number; readonly number: number; readonly isEdited: boolean }
}

/** What each of these commands must hold; ranges and meaning are the partition's to check. */
export const eraseShapes: Shapes<EraseCommand> = {
  Erase: shape({ ...act, message: optional(shape({ queue: number, number })), group: optional(text) }),
  EditBody: shape({ ...act, number, messageId: text, body: bytes, contentType: optional(text) }),
}
