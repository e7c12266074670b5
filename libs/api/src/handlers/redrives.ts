import type { RedriveOptions } from '@kiroku/client'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiSources } from '../ApiSources.ts'
import { Caller } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { call } from './call.ts'

/** Dead letters and redrives: who began or ended one is on record. */
export const redriveHandlers = ({ client, deadLetters }: ApiSources) =>
  HttpApiBuilder.group(Api, 'redrives', (handlers) =>
    handlers.handleAll({
      listDeadLetters: ({ params: { queue }, query: { subscription } }) =>
        call(async () => {
          const { count, groups } = await deadLetters(queue, subscription)
          return { queue, count, groups }
        }),
      startRedrive: Effect.fnUntraced(function* ({ params, payload }) {
        const { reason, ...options } = payload
        const caller = yield* Caller
        const by = reason === undefined ? caller : { ...caller, reason }
        return yield* call(() => client.queues.redrive(params.queue, options as RedriveOptions, by))
      }),
      listRedrives: ({ params }) =>
        call(async () => ({ redrives: await client.queues.redrives(params.queue) })),
      cancelRedrive: Effect.fnUntraced(function* ({ params, payload }) {
        const by = yield* Caller
        return yield* call(() => client.queues.cancelRedrive(params.queue, payload, by))
      }),
    }),
  )
