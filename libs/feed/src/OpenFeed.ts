import type { FeedUpdate, FeedProgress } from '@kiroku/protocol'

/** A feed that one reader reads, at its own speed. */
export interface OpenFeed {
  /** The next message; undefined: nothing changed. */
  readonly take: () => FeedUpdate | undefined
  /** Calls once there may be something new. Returns a function that stops waiting. */
  readonly onUpdate: (wake: () => void) => () => void
  readonly progress: () => FeedProgress
  readonly close: () => void
}

/** Opens the feed of one queue, or of all, after a position if that is still known. */
export interface FeedSource {
  readonly open: (options: { readonly queue?: string; readonly position?: string }) => OpenFeed
}
