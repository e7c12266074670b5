import type { Hidden } from '../hidden/Hiding.ts'
import type { StateName } from '@kiroku/protocol'

/** A message in a queue, with why it got there. */
export interface DeadLetter {
  /** Its place: partition, and number in the queue. */
  readonly partition: number
  readonly number: number
  /** Its id along the lineage, and the id of its place in this queue. */
  readonly messageId: string
  readonly placeId: string
  /** When it arrived here, in ms of partition time. */
  readonly at: number
  readonly state: StateName
  /** Queue and subscription that gave it up; absent: it was sent here. */
  readonly origin?: { readonly queue: string; readonly subscription: string }
  /**
   * `retry`, `leaseExpired`, `nextReceive`, `onPurpose`; `redriven` or `sent` for what is not a dead letter.
   */
  readonly cause: string
  readonly error: string
  /** Attempts that its origin made. */
  readonly attempts: number
  /** How often it was redriven and became a dead letter again. */
  readonly cameBack: number
  /** How often it was redriven, and when it was first sent, in ms of partition time. */
  readonly redrives: number
  readonly sentAt: number
  readonly tag?: string
  /** Message group or tenant. */
  readonly messageGroup?: string
  readonly attributes: Readonly<Record<string, string>>
  readonly contentType?: string
  readonly body: Uint8Array
  /** Why `body` is a placeholder: its key was erased, or is lost. */
  readonly unreadable?: 'erased' | 'lost'
  /** What queues that it passed hide of it; absent: nothing. */
  readonly hidden?: Hidden
}

/** Dead letters of one kind: one cause, and errors of one form. */
export interface DeadLetterGroup {
  /** Its name: eight hex digits, made of cause and form. */
  readonly group: string
  readonly cause: string
  /** Fingerprint of the errors, and the form that they share. */
  readonly fingerprint: string
  readonly form: string
  /** The newest error. */
  readonly error: string
  readonly count: number
  /** How many of them are in flight. */
  readonly inflight: number
  /** How many of them came back after a redrive, and the most times that one did. */
  readonly cameBack: number
  readonly cameBackMost: number
  readonly origins: readonly { readonly queue: string; readonly count: number }[]
  /** When the first and the last of them arrived, in ms of partition time. */
  readonly firstAt: number
  readonly lastAt: number
  /** Ids of the newest, at most five. */
  readonly samples: readonly string[]
  /** Body of the newest; without its text if that is hidden. */
  readonly payload: Payload
  /** Absent: the body of the newest is not hidden. */
  readonly hidden?: true
}

/** The beginning of a body in readable form. */
export interface Payload {
  readonly contentType?: string
  /** Bytes of the whole body. */
  readonly bytes: number
  readonly text: string
  /** Whether `text` is base64, since the body is not text. */
  readonly isBase64: boolean
  readonly isCut: boolean
}
