import { onReconnect, toKirokuError } from '@kiroku/nats'
import { type NatsConnection, TimeoutError } from '@nats-io/nats-core'
import { askPausesMs } from './limits.ts'

/**
 * Sends an idempotent request to JetStream, and again where it has no answer: a server that goes away takes with it what was on its
 * way. The first answer counts, to whichever request. `what` begins the error's message.
 */
export const askLeader = async <A>(nc: NatsConnection, what: string, ask: () => Promise<A>): Promise<A> => {
  try {
    return await askAgain(nc, ask)
  } catch (cause) {
    throw toKirokuError(cause, what)
  }
}

const askAgain = <A>(nc: NatsConnection, ask: () => Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    let next: NodeJS.Timeout | undefined
    let unanswered = 0
    const attempt = (n: number): void => {
      const pauseMs = askPausesMs[n]
      next = pauseMs === undefined ? undefined : setTimeout(() => attempt(n + 1), pauseMs)
      askConnected(nc, ask).then(
        (answer) => {
          clearTimeout(next)
          resolve(answer)
        },
        (cause: unknown) => {
          // Another one is under way, or will be.
          if (cause instanceof TimeoutError && ++unanswered <= askPausesMs.length) return
          clearTimeout(next)
          reject(cause as Error)
        },
      )
    }
    attempt(0)
  })

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
