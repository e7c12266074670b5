import { setTimeout as pause } from 'node:timers/promises'
import type { OpenFeed } from './OpenFeed.ts'
import { encodeEvent, encodeHeartbeat } from './encodeEvent.ts'

/** Least time between two messages to a reader, in ms; changes in between are added up. */
const messageMs = 100
/** Pause before a heartbeat when nothing changes, in ms. */
const heartbeatMs = 5_000

/**
 * The messages of an open feed as server-sent events until `closing`; each is taken once the one before it
 * was sent. Closes the feed.
 */
export async function* serverSentEvents(
  feed: OpenFeed,
  closing: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let saidAt = performance.now()
  try {
    while (!closing.aborted) {
      const message = feed.take()
      if (message !== undefined) {
        yield encodeEvent(message)
        await pause(messageMs)
      } else {
        // News may not concern this reader, so it must not delay the heartbeat.
        if (await isUpdate(feed, closing, saidAt + heartbeatMs - performance.now())) continue
        yield encodeHeartbeat(feed.progress())
      }
      saidAt = performance.now()
    }
  } finally {
    feed.close()
  }
}

/** Waits for something new, until it is time for a heartbeat. */
const isUpdate = (feed: OpenFeed, closing: AbortSignal, waitMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isThere: boolean): void => {
      clearTimeout(timer)
      stopWaiting()
      closing.removeEventListener('abort', onClosing)
      resolve(isThere)
    }
    const onClosing = (): void => end(true)
    const timer = setTimeout(() => end(false), Math.max(0, waitMs))
    const stopWaiting = feed.onUpdate(() => end(true))
    closing.addEventListener('abort', onClosing)
  })
