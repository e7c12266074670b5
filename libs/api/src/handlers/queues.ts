import type { QueueSettings } from '@kiroku/client'
import { namesPage, type OnDefect } from '@kiroku/doors'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller, CallerGranted } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { queueNamesMax } from '../definition/queues.ts'
import { queueWithoutOthers } from '../granted/withoutOthers.ts'
import { requireDeadLetter } from '../granted/requireDeadLetter.ts'
import { parseCount } from '../questions/parseCount.ts'
import { answerQueues } from './answerQueues.ts'
import { call } from './call.ts'
import { isOperator } from './isOperator.ts'
import { withoutReasons } from './withoutReasons.ts'

/** Administration of queues: every act carries its actor, so that the record names it. */
export const queueHandlers = ({ client }: ApiDependencies, onDefect: OnDefect) => {
  /** A queue as the caller may know it. */
  const describe = Effect.fnUntraced(function* (name: string) {
    const { isRestricted, sees } = yield* CallerGranted
    const queue = yield* call(() => client.queues.describe(name))
    return isRestricted ? queueWithoutOthers(queue, sees) : queue
  })
  return HttpApiBuilder.group(Api, 'queues', (handlers) =>
    handlers.handleAll({
      listQueues: Effect.fnUntraced(function* () {
        const { isRestricted, sees, handles } = yield* CallerGranted
        const { queues, missing } = yield* call(() => client.queues.survey())
        const seen = isRestricted
          ? queues.filter(({ name }) => sees(name)).map((queue) => queueWithoutOthers(queue, sees))
          : queues
        return yield* answerQueues(
          { queues: seen.map((queue) => (handles(queue.name) ? queue : withoutReasons(queue))), missing },
          onDefect,
        )
      }),
      listQueueNames: Effect.fnUntraced(function* ({ query: { limit, ...which } }) {
        const { sees } = yield* CallerGranted
        return yield* call(async () => {
          const max = limit === undefined ? queueNamesMax : parseCount(limit, 'limit', 1, queueNamesMax)
          return namesPage(client, sees, { ...which, max, skipsClosed: true })
        })
      }),
      createQueue: Effect.fnUntraced(function* ({ payload }) {
        const by = yield* Caller
        const granted = yield* CallerGranted
        const { created } = yield* call(async () => {
          granted.require('admin', payload.name)
          requireDeadLetter(granted, payload.settings)
          return client.queues.create(payload.name, (payload.settings ?? {}) as QueueSettings, by)
        })
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
        const queue = yield* describe(params.queue)
        return asOperator ? queue : withoutReasons(queue)
      }),
      updateQueue: Effect.fnUntraced(function* ({ params, payload }) {
        const by = yield* Caller
        const granted = yield* CallerGranted
        yield* call(async () => {
          requireDeadLetter(granted, payload)
          return client.queues.update(params.queue, payload as QueueSettings, by)
        })
        return yield* describe(params.queue)
      }),
      spreadQueue: Effect.fnUntraced(function* ({ params, payload }) {
        const by = yield* Caller
        yield* call(() => client.queues.spread(params.queue, payload.partitions, by))
        return yield* describe(params.queue)
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
}
