import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Api } from '../definition/Api.ts'
import { asJson, call } from './call.ts'

/** Messages and acts on record. */
export const searchingHandlers = ({ search }: ApiDependencies) =>
  HttpApiBuilder.group(Api, 'searching', (handlers) =>
    handlers.handleAll({
      search: ({ query }) => call(async () => asJson(await search.messages(query))),
      history: ({ query }) => call(async () => asJson(await search.history(query))),
      acts: ({ query }) => call(async () => asJson(await search.acts(query))),
    }),
  )
