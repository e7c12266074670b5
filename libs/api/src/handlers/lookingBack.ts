import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiSources } from '../ApiSources.ts'
import { Api } from '../definition/Api.ts'
import { asJson, call } from './call.ts'

/** Queues as they were. */
export const lookingBackHandlers = ({ look }: ApiSources) =>
  HttpApiBuilder.group(Api, 'lookingBack', (handlers) =>
    handlers.handleAll({
      stateAt: ({ params, query }) => call(async () => asJson(await look.stateAt(params.queue, query))),
      logAt: ({ query }) => call(async () => asJson(await look.logAt(query))),
      span: ({ query }) => call(async () => asJson(await look.span(query))),
      diff: ({ params, query }) => call(async () => asJson(await look.diff(params.queue, query))),
    }),
  )
