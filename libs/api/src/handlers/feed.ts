import { setTimeout as pause } from 'node:timers/promises'
import { encodeEvent, encodeHeartbeat, type FeedMessage, type FeedPlace } from '@kiroku/audit'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import * as Stream from 'effect/Stream'
import type { ApiSources } from '../ApiSources.ts'
import { Api } from '../definition/Api.ts'
import { call } from './call.ts'

/** A reader's way into the feed. */
export interface OpenFeed {
  /** What there is to tell now; undefined: nothing changed. */
  readonly take: () => FeedMessage | undefined
  /** Calls when there may be something new. Gives back how to stop waiting. */
  readonly onNews: (wake: () => void) => () => void
  readonly place: () => FeedPlace
  readonly close: () => void
}

/** Where the feed comes from. */
export interface FeedSource {
  readonly open: (options: { readonly queue?: string; readonly position?: string }) => OpenFeed
}

/** A reader gets ten messages a second at most; what happens meanwhile is added up. */
const messageMs = 100
/** How long nothing is sent when nothing changes, in ms. */
const heartbeatMs = 5_000

/** The feed as server-sent events: of one queue, and of all. */
export const feedHandlers = ({ feed }: ApiSources, closing: AbortSignal) => {
  const answer = (
    { from }: { readonly from?: string },
    headers: { readonly 'last-event-id'?: string },
    queue?: string,
  ) => {
    const position = headers['last-event-id'] ?? from
    return Effect.map(
      call(() =>
        Promise.resolve(
          feed.open({
            ...(queue === undefined ? {} : { queue }),
            ...(position === undefined ? {} : { position }),
          }),
        ),
      ),
      (opened) =>
        HttpServerResponse.stream(
          Stream.fromAsyncIterable(events(opened, closing), (cause) => cause).pipe(Stream.encodeText),
          {
            contentType: 'text/event-stream',
            // A proxy that gathers the answer would keep it for ever.
            headers: { 'x-accel-buffering': 'no' },
          },
        ),
    )
  }
  return HttpApiBuilder.group(Api, 'feed', (handlers) =>
    handlers.handleAll({
      feed: ({ query, headers }) => answer(query, headers),
      queueFeed: ({ query, headers, params }) => answer(query, headers, params.queue),
    }),
  )
}

/** The messages of an open feed as they are sent; each is asked for when the one before it has left. */
async function* events(feed: OpenFeed, closing: AbortSignal): AsyncGenerator<string, void, undefined> {
  let saidAt = performance.now()
  try {
    while (!closing.aborted) {
      const message = feed.take()
      if (message !== undefined) {
        yield encodeEvent(message)
        await pause(messageMs)
      } else {
        // What is new may be none of this reader's: that puts the sign of life off no further.
        if (await isNews(feed, closing, saidAt + heartbeatMs - performance.now())) continue
        yield encodeHeartbeat(feed.place())
      }
      saidAt = performance.now()
    }
  } finally {
    feed.close()
  }
}

/** Waits for something new, and gives up when it is time for a sign of life. */
const isNews = (feed: OpenFeed, closing: AbortSignal, waitMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isThere: boolean): void => {
      clearTimeout(timer)
      stopWaiting()
      closing.removeEventListener('abort', onClosing)
      resolve(isThere)
    }
    const onClosing = (): void => end(true)
    const timer = setTimeout(() => end(false), Math.max(0, waitMs))
    const stopWaiting = feed.onNews(() => end(true))
    closing.addEventListener('abort', onClosing)
  })
