import { toKirokuError } from '@kiroku/nats'
import { TimeoutError } from '@nats-io/nats-core'
import { askAttemptsMax } from './limits.ts'

/**
 * Asks JetStream something that may be asked twice. A request that was made while the connection was down is
 * never sent, so silence is asked again. `what` begins the error's message.
 */
export const askLeader = async <A>(what: string, ask: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await ask()
    } catch (cause) {
      if (!(cause instanceof TimeoutError) || attempt === askAttemptsMax) throw toKirokuError(cause, what)
    }
}
