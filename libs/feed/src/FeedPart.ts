import { type Grants, grantsText, isRestricted, roleOn } from '@kiroku/protocol'

/** Some of the queues. */
export interface FeedPart {
  /** The same for all readers of the same queues. */
  readonly key: string
  readonly has: (queue: string) => boolean
}

/** What somebody reads of the feed: one queue, or all that they may see; undefined: all there are. */
export const partOf = (queue: string | undefined, grants: Grants | undefined): FeedPart | undefined => {
  if (queue !== undefined) return { key: queue, has: (name) => name === queue }
  if (grants === undefined || !isRestricted(grants)) return undefined
  // No queue has such a name.
  return { key: `@${grantsText(grants)}`, has: (name) => roleOn(grants, name) !== undefined }
}
