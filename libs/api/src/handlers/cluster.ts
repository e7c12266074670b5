import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiSources } from '../ApiSources.ts'
import { Api } from '../definition/Api.ts'
import { asJson, call } from './call.ts'

/** What the cluster looks like. */
export const clusterHandlers = ({ clusterStatus }: ApiSources) =>
  HttpApiBuilder.group(Api, 'cluster', (handlers) =>
    handlers.handle('clusterStatus', () => call(async () => asJson(await clusterStatus()))),
  )
