import type { LogEvent } from '@kiroku/protocol'

/** Version of the frame format that this code writes. */
export const frameVersion = 1

/** The bodies of one queue in one frame, in the order of its events. */
export interface BodySection {
  readonly queue: number
  readonly bodies: readonly BodyRef[]
}

/** A body in the frame, or the sequence of the record that holds a large one. */
export type BodyRef = Uint8Array | { readonly seq: number; readonly bytes: number }

/** A frame before it is encoded. */
export interface FrameContent {
  readonly epoch: number
  /** Partition time in ms at which it was decided. */
  readonly at: number
  readonly events: readonly LogEvent[]
  readonly sections: readonly BodySection[]
}
