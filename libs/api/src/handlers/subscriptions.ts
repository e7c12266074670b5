import type { Subscriptions, SubscriptionSettings } from '@kiroku/client'
import type { Actor } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller, CallerGranted } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { requireDeadLetter } from '../granted/requireDeadLetter.ts'
import { call } from './call.ts'

/** Administration of subscriptions: every act carries its actor, so that the record names it. */
export const subscriptionHandlers = ({ client }: ApiDependencies) => {
  const act = <A>(
    run: (subscriptions: Subscriptions, by: Actor) => Promise<A>,
    settings?: { readonly deadLetter?: unknown },
  ) =>
    Effect.gen(function* () {
      const by = yield* Caller
      const granted = yield* CallerGranted
      return yield* call(async () => {
        requireDeadLetter(granted, settings)
        return run(client.queues.subscriptions, by)
      })
    })
  return HttpApiBuilder.group(Api, 'subscriptions', (handlers) =>
    handlers.handleAll({
      createSubscription: ({ params, payload: { name, settings, start } }) =>
        act(async (subscriptions, by) => {
          const { created } = await subscriptions.create(
            params.queue,
            name,
            { ...(settings as SubscriptionSettings), ...(start === undefined ? {} : { start }) },
            by,
          )
          return { name, created }
        }, settings),
      updateSubscription: ({ params: { queue, subscription }, payload }) =>
        act((s, by) => s.update(queue, subscription, payload as SubscriptionSettings, by), payload),
      deleteSubscription: ({ params: { queue, subscription } }) =>
        act((s, by) => s.delete(queue, subscription, by)),
      resetSubscription: ({ params: { queue, subscription }, payload }) =>
        act((s, by) => s.reset(queue, subscription, payload.start, by)),
      pauseSubscription: ({ params: { queue, subscription } }) =>
        act((s, by) => s.pause(queue, subscription, by)),
      resumeSubscription: ({ params: { queue, subscription } }) =>
        act((s, by) => s.resume(queue, subscription, by)),
    }),
  )
}
