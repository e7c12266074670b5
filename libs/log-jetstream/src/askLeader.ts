import { onReconnect, toKirokuError } from '@kiroku/nats'
import { type NatsConnection, TimeoutError } from '@nats-io/nats-core'
import { askAttemptsMax } from './limits.ts'

/**
 * Sends an idempotent request to JetStream. One that is made while the connection is down is never sent, and one that was
 * under way has no answer: both are repeated as soon as the connection is there again, and without an answer anyway.
 * `what` begins the error's message.
 */
export const askLeader = async <A>(nc: NatsConnection, what: string, ask: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt++)
    try {
      const answer = await answerOrReconnect(nc, ask)
      if (answer !== reconnected) return answer
    } catch (cause) {
      if (!(cause instanceof TimeoutError) || attempt >= askAttemptsMax) throw toKirokuError(cause, what)
    }
}

const reconnected = Symbol('the connection was lost and is there again')

const answerOrReconnect = <A>(nc: NatsConnection, ask: () => Promise<A>): Promise<A | typeof reconnected> =>
  new Promise((resolve, reject) => {
    const stop = onReconnect(nc, () => resolve(reconnected))
    ask().then(resolve, reject).finally(stop)
  })
