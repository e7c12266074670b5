import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { CallerGranted } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { withoutAddresses } from '../granted/withoutOthers.ts'
import { diffQuestion, logQuestion, recordingQuestion, stateQuestion } from '../questions/lookingBack.ts'
import { ask } from './ask.ts'
import { asJson, call } from './call.ts'
import { inPieces, jsonAnswer } from './inPieces.ts'
import { isOperator } from './isOperator.ts'
import { withoutReasons } from './withoutReasons.ts'

const compress = promisify(gzip)

/** Queues as they were. */
export const lookingBackHandlers = (dependencies: ApiDependencies) =>
  HttpApiBuilder.group(Api, 'lookingBack', (handlers) =>
    handlers.handleAll({
      stateAt: Effect.fnUntraced(function* ({ params: { queue }, query }) {
        const asOperator = yield* isOperator
        const { isRestricted, sees } = yield* CallerGranted
        return yield* ask(dependencies, async (record) => {
          const found = await record.stateAt(stateQuestion(queue, query, Date.now()))
          const moment = isRestricted ? withoutAddresses(found, sees) : found
          return asJson(asOperator ? moment : withoutReasons(moment))
        })
      }),
      logAt: Effect.fnUntraced(function* ({ query }) {
        const { isRestricted, sees, handles } = yield* CallerGranted
        return yield* ask(dependencies, async (record) => {
          const { queues, ...rest } = await record.logAt(logQuestion(query, Date.now()))
          const seen = isRestricted
            ? queues.filter(({ queue }) => sees(queue)).map((queue) => withoutAddresses(queue, sees))
            : queues
          const written = await inPieces(seen, (moment) =>
            JSON.stringify(handles(moment.queue) ? moment : withoutReasons(moment)),
          )
          return jsonAnswer(`${JSON.stringify(rest).slice(0, -1)},"queues":[`, written, ']}')
        })
      }),
      span: Effect.fnUntraced(function* ({ query }) {
        const granted = yield* CallerGranted
        return yield* ask(dependencies, async (record) => {
          if (query.queue !== undefined) granted.require('viewer', query.queue)
          return asJson(await record.span(query))
        })
      }),
      batches: ({ params: { queue }, query }) =>
        ask(dependencies, async (record) => asJson(await record.batches({ queue, ...query }))),
      diff: Effect.fnUntraced(function* ({ params: { queue }, query }) {
        const { isRestricted, sees } = yield* CallerGranted
        return yield* ask(dependencies, async (record) => {
          const diff = await record.diff(diffQuestion(queue, query, Date.now()))
          return asJson(isRestricted ? withoutAddresses(diff, sees) : diff)
        })
      }),
      recording: Effect.fnUntraced(function* ({ params, query }) {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const asOperator = yield* isOperator
        const bytes = yield* ask(dependencies, async (record) =>
          record.recording({
            ...recordingQuestion(params.queue, query, {
              nowMs: Date.now(),
              partitions: dependencies.about.partitions,
            }),
            asOperator,
          }),
        )
        // Compresses well: states are columns of numbers, and events repeat their names.
        if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return HttpServerResponse.uint8Array(bytes)
        const packed = yield* call(() => compress(bytes, { level: constants.Z_BEST_SPEED }))
        return HttpServerResponse.uint8Array(packed, { headers: { 'content-encoding': 'gzip' } })
      }),
    }),
  )
