import { onReconnect, toKirokuError } from '@kiroku/nats'
import { type NatsConnection, TimeoutError } from '@nats-io/nats-core'
import { askAttemptsMax } from './limits.ts'

/** Sends an idempotent request to JetStream, and again where it has no answer. `what` begins the error's message. */
export const askLeader = async <A>(nc: NatsConnection, what: string, ask: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await askConnected(nc, ask)
    } catch (cause) {
      if (!(cause instanceof TimeoutError) || attempt === askAttemptsMax) throw toKirokuError(cause, what)
    }
}

/**
 * Sends an idempotent request, and again as soon as a connection that was lost is there again: what is asked meanwhile is
 * never sent, and what was under way has no answer.
 */
export const askConnected = async <A>(nc: NatsConnection, ask: () => Promise<A>): Promise<A> => {
  for (;;) {
    const answer = await answerOrReconnect(nc, ask)
    if (answer !== reconnected) return answer
  }
}

const reconnected = Symbol('the connection was lost and is there again')

const answerOrReconnect = <A>(nc: NatsConnection, ask: () => Promise<A>): Promise<A | typeof reconnected> =>
  new Promise((resolve, reject) => {
    const stop = onReconnect(nc, () => resolve(reconnected))
    ask().then(resolve, reject).finally(stop)
  })
