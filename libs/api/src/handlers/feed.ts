import { toServerResponse } from '@effect/platform-node/NodeHttpServerRequest'
import { serverSentEvents } from '@kiroku/feed'
import * as Effect from 'effect/Effect'
import * as Stream from 'effect/Stream'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller, CallerGranted } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { given } from '../given.ts'
import { call } from './call.ts'

/** The feed as server-sent events: of one queue, and of all. */
export const feedHandlers = ({ feed }: ApiDependencies, closing: AbortSignal) => {
  const answer = Effect.fnUntraced(function* (
    { from }: { readonly from?: string },
    headers: { readonly 'last-event-id'?: string },
    queue?: string,
  ) {
    const { name: principal } = yield* Caller
    const granted = yield* CallerGranted
    const { isRestricted, grants } = granted
    const response = toServerResponse(yield* HttpServerRequest.HttpServerRequest)
    const position = headers['last-event-id'] ?? from
    const opened = yield* call(async () =>
      feed.open({ principal, ...given({ queue, position, grants: isRestricted ? grants : undefined }) }),
    )
    // A client that leaves before the first event never reads the stream, so its end does not close the feed.
    response.once('close', opened.close)
    return HttpServerResponse.stream(
      Stream.fromAsyncIterable(serverSentEvents(opened, granted.until(closing)), (cause) => cause).pipe(
        Stream.encodeText,
      ),
      {
        contentType: 'text/event-stream',
        // A proxy that buffers the answer would hold it back.
        headers: { 'x-accel-buffering': 'no' },
      },
    )
  })
  return HttpApiBuilder.group(Api, 'feed', (handlers) =>
    handlers.handleAll({
      feed: ({ query, headers }) => answer(query, headers),
      queueFeed: ({ query, headers, params }) => answer(query, headers, params.queue),
    }),
  )
}
