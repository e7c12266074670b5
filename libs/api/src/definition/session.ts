import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { errorSchemas } from './apiError.ts'
import { forRole } from './forRole.ts'

const role = Schema.Literals(['viewer', 'operator', 'admin'])

/** The caller, and the server it talks to. */
export const Session = Schema.Struct({
  name: Schema.String.annotate({ description: 'Name of the token; `local` if there are none' }),
  role: Schema.Literals(['viewer', 'operator', 'admin']).annotate({
    description: 'The role on all queues; where there is none, the highest on any',
  }),
  grants: Schema.optionalKey(
    Schema.Struct({
      role: Schema.optionalKey(role.annotate({ description: 'On all queues; absent: on none but those' })),
      queues: Schema.Array(
        Schema.Struct({
          role,
          queues: Schema.String.annotate({ description: 'A name, in which * stands for any characters' }),
        }),
      ),
    }).annotate({ description: 'Roles on some queues; absent: `role` holds for all' }),
  ),
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
    }).annotateMerge(forRole('viewer', 'some', 'Who you are here, and what you are connected to.')),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Session' }))
