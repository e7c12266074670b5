import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller, CallerGranted } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { matchingQuestion } from '../questions/matching.ts'
import { call } from './call.ts'

/** Operates on the messages that match a filter; the actor is on record. */
export const matchingHandlers = ({ settleMatching }: ApiDependencies) =>
  HttpApiBuilder.group(Api, 'matching', (handlers) =>
    handlers.handleAll({
      recallMatching: Effect.fnUntraced(function* ({ payload }) {
        const by = yield* Caller
        const { handled } = yield* CallerGranted
        return yield* call(async (signal) =>
          settleMatching('recall', { ...matchingQuestion(payload, Date.now()), ...handled }, by, signal),
        )
      }),
      discardMatching: Effect.fnUntraced(function* ({ payload }) {
        const by = yield* Caller
        const { handled } = yield* CallerGranted
        return yield* call(async (signal) =>
          settleMatching('discard', { ...matchingQuestion(payload, Date.now()), ...handled }, by, signal),
        )
      }),
    }),
  )
