import type { QueueSettings } from '@kiroku/client'
import type { OnDefect } from '@kiroku/doors'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { parseCount } from '../questions/parseCount.ts'
import { answerQueues } from './answerQueues.ts'
import { call } from './call.ts'
import { isOperator } from './isOperator.ts'
import { withoutReasons } from './withoutReasons.ts'

/** Administration of queues: every act carries its actor, so that the record names it. */
export const queueHandlers = ({ client }: ApiDependencies, onDefect: OnDefect) =>
  HttpApiBuilder.group(Api, 'queues', (handlers) =>
    handlers.handleAll({
      listQueues: Effect.fnUntraced(function* () {
        const asOperator = yield* isOperator
        const { queues, missing } = yield* call(() => client.queues.survey())
        return yield* answerQueues(
          { queues: asOperator ? queues : queues.map(withoutReasons), missing },
          onDefect,
        )
      }),
      createQueue: Effect.fnUntraced(function* ({ payload }) {
        const by = yield* Caller
        const { created } = yield* call(() =>
          client.queues.create(payload.name, (payload.settings ?? {}) as QueueSettings, by),
        )
        return { name: payload.name, created }
      }),
      describeGroups: ({ params, query: { subscription, limit } }) =>
        call(async () => {
          const options = {
            ...(subscription === undefined ? {} : { subscription }),
            ...(limit === undefined ? {} : { max: parseCount(limit, 'limit', 1) }),
          }
          return client.queues.groups(params.queue, options)
        }),
      describeQueue: Effect.fnUntraced(function* ({ params }) {
        const asOperator = yield* isOperator
        return yield* call(async () => {
          const queue = await client.queues.describe(params.queue)
          return asOperator ? queue : withoutReasons(queue)
        })
      }),
      updateQueue: Effect.fnUntraced(function* ({ params, payload }) {
        const by = yield* Caller
        yield* call(() => client.queues.update(params.queue, payload as QueueSettings, by))
        return yield* call(() => client.queues.describe(params.queue))
      }),
      spreadQueue: Effect.fnUntraced(function* ({ params, payload }) {
        const by = yield* Caller
        yield* call(() => client.queues.spread(params.queue, payload.partitions, by))
        return yield* call(() => client.queues.describe(params.queue))
      }),
      deleteQueue: Effect.fnUntraced(function* ({ params, query }) {
        const by = yield* Caller
        yield* call(() => client.queues.delete(params.queue, { force: query.force === 'true' }, by))
      }),
      purgeQueue: Effect.fnUntraced(function* ({ params }) {
        const by = yield* Caller
        return yield* call(() => client.queues.purge(params.queue, by))
      }),
      erase: Effect.fnUntraced(function* ({ params, payload }) {
        const by = yield* Caller
        return yield* call(() => client.queues.erase(params.queue, payload, by))
      }),
      pauseQueue: Effect.fnUntraced(function* ({ params }) {
        const by = yield* Caller
        yield* call(() => client.queues.pause(params.queue, by))
      }),
      resumeQueue: Effect.fnUntraced(function* ({ params }) {
        const by = yield* Caller
        yield* call(() => client.queues.resume(params.queue, by))
      }),
    }),
  )
