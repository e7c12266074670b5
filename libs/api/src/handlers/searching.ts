import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Api } from '../definition/Api.ts'
import { actsQuestion, historyQuestion, searchQuestion } from '../questions/searching.ts'
import { ask } from './ask.ts'
import { asJson } from './call.ts'
import { isOperator } from './isOperator.ts'

/** Messages and acts on record. */
export const searchingHandlers = (dependencies: ApiDependencies) =>
  HttpApiBuilder.group(Api, 'searching', (handlers) =>
    handlers.handleAll({
      search: Effect.fnUntraced(function* ({ query }) {
        const asOperator = yield* isOperator
        return yield* ask(dependencies, async (record) =>
          asJson(await record.search({ ...searchQuestion(query, Date.now()), asOperator })),
        )
      }),
      history: ({ query }) =>
        ask(dependencies, async (record) => asJson(await record.history(historyQuestion(query, Date.now())))),
      acts: ({ query }) =>
        ask(dependencies, async (record) => ({
          acts: asJson(await record.acts(actsQuestion(query, Date.now()))),
        })),
    }),
  )
