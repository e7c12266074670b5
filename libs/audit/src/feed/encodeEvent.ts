import type { FeedMessage, FeedPlace } from './FeedMessage.ts'

/** A message as a server-sent event; its id is the position to go on from. */
export const encodeEvent = ({ kind, position, ...rest }: FeedMessage): string =>
  `event: ${kind}\nid: ${position}\ndata: ${JSON.stringify({ position, ...rest })}\n\n`

/** What is sent while nothing changes: how far the feed is, and that it is alive. */
export const encodeHeartbeat = ({ position, at, silent }: FeedPlace): string =>
  `event: heartbeat\nid: ${position}\ndata: ${JSON.stringify({ position, at, silent })}\n\n`
