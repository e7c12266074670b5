import { setTimeout as pause } from 'node:timers/promises'
import { encodeEvent, encodeHeartbeat, type FeedMessage, type FeedPlace } from '@kiroku/audit'
import { errorRegistry } from '@kiroku/message'
import * as Effect from 'effect/Effect'
import * as HttpRouter from 'effect/http/HttpRouter'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import * as Layer from 'effect/Layer'
import * as Stream from 'effect/Stream'
import { toApiError } from './definition/apiError.ts'
import { call } from './handlers/call.ts'
import { authorize, checkLocalRequest, type Token } from './tokens.ts'

/** A reader's way into the feed. */
export interface OpenFeed {
  /** What there is to tell now; undefined: nothing changed. */
  readonly take: () => FeedMessage | undefined
  /** Calls when there may be something new. Gives back how to stop waiting. */
  readonly onNews: (wake: () => void) => () => void
  readonly place: () => FeedPlace
  readonly close: () => void
}

/** Where the feed comes from. Errors: `NoAuditor`. */
export interface FeedSource {
  readonly open: (options: { readonly queue?: string; readonly position?: string }) => OpenFeed
}

/** A reader gets ten messages a second at most; what happens meanwhile is added up. */
const messageMs = 100
/** How long nothing is sent when nothing changes, in ms. */
const heartbeatMs = 5_000

/** The feed as server-sent events: of one queue, and of all. */
export const feedRoutes = (feed: FeedSource, tokens: readonly Token[], closing: AbortSignal) => {
  const answer = (queue: string | undefined) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { headers } = request
      const position =
        headers['last-event-id'] ?? new URL(request.url, 'http://localhost').searchParams.get('from')
      const opened = yield* call(() => {
        if (tokens.length > 0)
          authorize(tokens, headers['authorization']?.replace(/^Bearer /, '') ?? '', 'viewer')
        else checkLocalRequest(headers)
        return Promise.resolve(
          feed.open({
            ...(queue === undefined ? {} : { queue }),
            ...(position === null ? {} : { position }),
          }),
        )
      })
      const body = Stream.fromAsyncIterable(events(opened, closing), (cause) => cause).pipe(Stream.encodeText)
      return HttpServerResponse.stream(body, {
        contentType: 'text/event-stream',
        headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      })
    }).pipe(
      Effect.catch((error) => HttpServerResponse.json(error, { status: errorRegistry[error.id].http })),
      Effect.catchDefect((defect) => HttpServerResponse.json(toApiError(defect), { status: 500 })),
    )
  return Layer.mergeAll(
    HttpRouter.add('GET', '/v1/feed', answer(undefined)),
    HttpRouter.add(
      'GET',
      '/v1/queues/:queue/feed',
      Effect.flatMap(HttpRouter.params, ({ queue }) => answer(decodeURIComponent(queue ?? ''))),
    ),
  )
}

/** The messages of an open feed as they are sent; each is asked for when the one before it has left. */
async function* events(feed: OpenFeed, closing: AbortSignal): AsyncGenerator<string, void, undefined> {
  try {
    while (!closing.aborted) {
      const message = feed.take()
      if (message !== undefined) {
        yield encodeEvent(message)
        await pause(messageMs)
      } else if (!(await isNews(feed, closing))) yield encodeHeartbeat(feed.place())
    }
  } finally {
    feed.close()
  }
}

/** Waits for something new, and gives up when it is time for a sign of life. */
const isNews = (feed: OpenFeed, closing: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isThere: boolean): void => {
      clearTimeout(timer)
      stopWaiting()
      closing.removeEventListener('abort', onClosing)
      resolve(isThere)
    }
    const onClosing = (): void => end(true)
    const timer = setTimeout(() => end(false), heartbeatMs)
    const stopWaiting = feed.onNews(() => end(true))
    closing.addEventListener('abort', onClosing)
  })
