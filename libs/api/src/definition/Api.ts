import * as HttpApi from 'effect/http-api/HttpApi'
import * as OpenApi from 'effect/http-api/OpenApi'
import { Access, Failures } from './Access.ts'
import { cluster } from './cluster.ts'
import { feed } from './feed.ts'
import { lookingBack } from './lookingBack.ts'
import { matching } from './matching.ts'
import { messages } from './messages.ts'
import { OutageWatch } from './OutageWatch.ts'
import { queues } from './queues.ts'
import { redrives } from './redrives.ts'
import { searching } from './searching.ts'
import { session } from './session.ts'
import { subscriptions } from './subscriptions.ts'

/** How what is sent is checked: an unknown field is an error. */
export const payloads = { onExcessProperty: 'error' } as const

/** The native HTTP API: the one definition behind the server, its OpenAPI page and `docs/openapi.json`. */
export const Api = HttpApi.make('kiroku')
  .add(queues, subscriptions, redrives, messages, lookingBack, searching, matching, feed, cluster, session)
  .middleware(OutageWatch)
  .middleware(Access)
  .middleware(Failures)
  .prefix('/v1')
  .annotate(HttpApi.PayloadParseOptions, payloads)
  .annotateMerge(
    OpenApi.annotations({
      title: 'Kiroku',
      version: '1',
      description:
        'Durable message queues over NATS JetStream. Errors are JSON `{id, message, help, retryable}` with stable ids.',
      license: { name: 'Apache-2.0' },
    }),
  )
