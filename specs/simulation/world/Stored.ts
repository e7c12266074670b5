import type { DecodedFrame } from '@kiroku/log'

/** A frame, at the moment at which it became part of the log. */
export interface Stored {
  readonly partition: number
  readonly seq: number
  readonly record: DecodedFrame
  /** Who sent it off, and when, in ms of virtual time; the decision was taken in the same step. */
  readonly node: string
  readonly sentMs: number
  readonly storedMs: number
}

/** One body of a frame: what it says, and the record that holds it, which is another one where it is large. */
export interface StoredBody {
  readonly label: string
  readonly seq: number
}
