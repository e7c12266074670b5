import * as OpenApi from 'effect/http-api/OpenApi'
import { Api } from './definition/Api.ts'

/** The OpenAPI document of the API, as `/openapi.json` serves it and `docs/openapi.json` keeps it. */
export const openApi = (): unknown => OpenApi.fromApi(Api)
