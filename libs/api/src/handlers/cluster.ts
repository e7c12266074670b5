import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { asJson, call } from './call.ts'

/** The cluster's status, its version, and its clocks. */
export const clusterHandlers = ({ clusterStatus, finalizeCluster, client }: ApiDependencies) =>
  HttpApiBuilder.group(Api, 'cluster', (handlers) =>
    handlers.handleAll({
      clusterStatus: () => call(async () => asJson(await clusterStatus())),
      finalizeCluster: Effect.fnUntraced(function* ({ payload: { reason } }) {
        const caller = yield* Caller
        return yield* call(() => finalizeCluster(reason === undefined ? caller : { ...caller, reason }))
      }),
      confirmClock: Effect.fnUntraced(function* ({ payload: { accept, partition, reason } }) {
        const caller = yield* Caller
        const by = reason === undefined ? caller : { ...caller, reason }
        const options = partition === undefined ? { by } : { by, partition }
        return { steps: yield* call(() => client.confirmClock(accept, options)) }
      }),
    }),
  )
