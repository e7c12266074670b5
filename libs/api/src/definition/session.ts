import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { RequiredRole } from './Access.ts'
import { errorSchemas } from './apiError.ts'

const summary = 'Who you are here, and what you are connected to.'

/** The caller, and the server it talks to. */
export const Session = Schema.Struct({
  name: Schema.String.annotate({ description: 'Name of the token; `local` if there are none' }),
  role: Schema.Literals(['viewer', 'operator', 'admin']),
  commands: Schema.Boolean.annotate({
    description: 'Whether the console may send commands: the setting `console`, and the role',
  }),
  log: Schema.String,
  incarnation: Schema.String.annotate({ description: "Short name of the log's incarnation" }),
  partitions: Schema.Finite,
  version: Schema.String.annotate({ description: 'Version of Kiroku' }),
  tokens: Schema.Boolean.annotate({ description: 'Whether tokens are configured' }),
  startedAt: Schema.Finite.annotate({
    description: 'When this process began to serve, in ms since 1970',
  }),
  pid: Schema.Finite.annotate({ description: 'The process that serves' }),
  folder: Schema.String.annotate({ description: 'Its data folder' }),
}).annotate({ identifier: 'Session' })

/** The first request of a page. */
export const session = HttpApiGroup.make('session')
  .add(
    HttpApiEndpoint.get('session', '/session', {
      success: Session,
      error: errorSchemas,
    })
      .annotate(RequiredRole, 'viewer')
      .annotateMerge(OpenApi.annotations({ summary, description: `${summary} Role: viewer.` })),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Session' }))
