import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { CallerGranted } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { actWithoutOthers } from '../granted/withoutOthers.ts'
import { actsQuestion, historyQuestion, searchQuestion } from '../questions/searching.ts'
import { ask } from './ask.ts'
import { asJson } from './call.ts'
import { inPieces, jsonAnswer } from './inPieces.ts'

/** Messages and acts on record. */
export const searchingHandlers = (dependencies: ApiDependencies) =>
  HttpApiBuilder.group(Api, 'searching', (handlers) =>
    handlers.handleAll({
      search: Effect.fnUntraced(function* ({ query }) {
        const { asking } = yield* CallerGranted
        return yield* ask(dependencies, async (record) =>
          asJson(await record.search({ ...searchQuestion(query, Date.now()), ...asking })),
        )
      }),
      history: Effect.fnUntraced(function* ({ query }) {
        const granted = yield* CallerGranted
        return yield* ask(dependencies, async (record) => {
          const asked = historyQuestion(query, Date.now())
          if (asked.queue !== undefined) granted.require('viewer', asked.queue)
          return asJson(
            await record.history(granted.isRestricted ? { ...asked, grants: granted.grants } : asked),
          )
        })
      }),
      acts: Effect.fnUntraced(function* ({ query }) {
        const { isRestricted, grants, sees } = yield* CallerGranted
        const acts = yield* ask(dependencies, async (record) => {
          const asked = actsQuestion(query, Date.now())
          const found = await record.acts(isRestricted ? { ...asked, grants } : asked)
          const told = isRestricted ? found.map((act) => actWithoutOthers(act, sees)) : found
          return inPieces(told, (act) => JSON.stringify(act))
        })
        return jsonAnswer('{"acts":[', acts, ']}')
      }),
    }),
  )
