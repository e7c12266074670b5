import type { FeedUpdate, FeedProgress } from '@kiroku/protocol'

/** A message as a server-sent event; its id is the position to resume from. */
export const encodeEvent = ({ kind, position, ...rest }: FeedUpdate): string =>
  `event: ${kind}\nid: ${position}\ndata: ${JSON.stringify({ position, ...rest })}\n\n`

/** What is sent while nothing changes: the position of the feed, and that it is alive. */
export const encodeHeartbeat = ({ position, at, silent }: FeedProgress): string =>
  `event: heartbeat\nid: ${position}\ndata: ${JSON.stringify({ position, at, silent })}\n\n`
