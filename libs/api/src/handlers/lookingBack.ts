import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Api } from '../definition/Api.ts'
import { asJson, call } from './call.ts'

const compress = promisify(gzip)

/** Queues as they were. */
export const lookingBackHandlers = ({ look }: ApiDependencies) =>
  HttpApiBuilder.group(Api, 'lookingBack', (handlers) =>
    handlers.handleAll({
      stateAt: ({ params, query }) => call(async () => asJson(await look.stateAt(params.queue, query))),
      logAt: ({ query }) => call(async () => asJson(await look.logAt(query))),
      span: ({ query }) => call(async () => asJson(await look.span(query))),
      batches: ({ params, query }) => call(async () => asJson(await look.batches(params.queue, query))),
      diff: ({ params, query }) => call(async () => asJson(await look.diff(params.queue, query))),
      recording: Effect.fnUntraced(function* ({ params, query }) {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const bytes = yield* call(() => look.recording(params.queue, query))
        // States are columns of numbers, and events repeat their names.
        if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return HttpServerResponse.uint8Array(bytes)
        const packed = yield* call(() => compress(bytes, { level: constants.Z_BEST_SPEED }))
        return HttpServerResponse.uint8Array(packed, { headers: { 'content-encoding': 'gzip' } })
      }),
    }),
  )
