/**
 * Live counts of every queue. Owns the path from the owners of the partitions, which are asked ten times per
 * second, to any number of readers: the hub that knows all counts, and their form as server-sent events.
 * Keeps nothing per slow reader and never asks while there are no readers. What an owner counts is the
 * partition's; the wire shapes are the protocol's.
 */
export { FeedHub } from './FeedHub.ts'
export type { FeedReader } from './FeedReader.ts'
export { liveFeed } from './liveFeed.ts'
export type { FeedSource, OpenFeed } from './OpenFeed.ts'
export { serverSentEvents } from './serverSentEvents.ts'
