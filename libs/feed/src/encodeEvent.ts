import type { FeedUpdate, FeedProgress } from '@kiroku/protocol'

/** A message as a server-sent event; its id is the position to resume from. */
export const encodeEvent = (update: FeedUpdate): string => {
  const known = encoded.get(update)
  if (known !== undefined) return known
  const { kind, position, ...rest } = update
  const event = `event: ${kind}\nid: ${position}\ndata: ${JSON.stringify({ position, ...rest })}\n\n`
  encoded.set(update, event)
  return event
}

/** Readers of the same place share their messages. */
const encoded = new WeakMap<FeedUpdate, string>()

/** What is sent while nothing changes: the position of the feed, and that it is alive. */
export const encodeHeartbeat = ({ position, at, silent }: FeedProgress): string =>
  `event: heartbeat\nid: ${position}\ndata: ${JSON.stringify({ position, at, silent })}\n\n`
