import type { FeedUpdate, FeedProgress, Grants } from '@kiroku/protocol'

/** A feed that one reader reads, at its own speed. */
export interface OpenFeed {
  /** The next message; undefined: nothing changed. */
  readonly take: () => FeedUpdate | undefined
  /** Calls once there may be something new. Returns a function that stops waiting. */
  readonly onUpdate: (wake: () => void) => () => void
  readonly progress: () => FeedProgress
  readonly close: () => void
}

/** Who reads what. */
export interface FeedOptions {
  /** Whose share of the feeds it is: the name of a token. */
  readonly principal: string
  /** Absent: all queues that the reader may see. */
  readonly queue?: string
  /** Which those are; absent: all. */
  readonly grants?: Grants
  /** Where it left off. */
  readonly position?: string
}

/** Opens the feed of one queue, or of all, after a position if that is still known. Errors: `Busy`. */
export interface FeedSource {
  readonly open: (options: FeedOptions) => OpenFeed
}
