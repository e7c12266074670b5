import * as Effect from 'effect/Effect'
import * as HttpApiSwagger from 'effect/http-api/HttpApiSwagger'
import * as HttpRouter from 'effect/http/HttpRouter'
import { Api } from './definition/Api.ts'

const path = '/docs'

/**
 * The page that shows the API. It is put together when somebody asks for it: its script has 1.9 MB, and loading that held up
 * each start by 0.1 s.
 */
export const docsPage = HttpRouter.add(
  'GET',
  path,
  Effect.flatten(HttpRouter.toHttpEffect(HttpApiSwagger.layer(Api, { path }))),
)
