import { toKirokuError } from '@kiroku/nats'
import { TimeoutError } from '@nats-io/nats-core'
import { askAttemptsMax } from './limits.ts'

/**
 * Sends an idempotent request to JetStream. A request made while the connection is down is never sent, so
 * without an answer it is repeated. `what` begins the error's message.
 */
export const askLeader = async <A>(what: string, ask: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await ask()
    } catch (cause) {
      if (!(cause instanceof TimeoutError) || attempt === askAttemptsMax) throw toKirokuError(cause, what)
    }
}
