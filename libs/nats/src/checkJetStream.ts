import { KirokuError } from '@kiroku/protocol'
import { type NatsConnection, NoRespondersError, TimeoutError } from '@nats-io/nats-core'
import { type ApiError, fromApiError, toKirokuError } from './jetStreamErrors.ts'

/**
 * Asks JetStream whether it answers. A server that answers pings while JetStream says nothing has no quorum.
 * Errors: `NatsUnreachable`, `NoQuorum`, `JetStreamDisabled`, `NatsForbidden`.
 *
 * @param timeoutMs how long it may take, in ms
 */
export const checkJetStream = async (
  nc: Pick<NatsConnection, 'request' | 'rtt'>,
  timeoutMs: number,
): Promise<void> => {
  let isHeard = false
  nc.rtt().then(
    () => (isHeard = true),
    () => {},
  )
  try {
    const answer = await nc.request('$JS.API.INFO', undefined, { timeout: timeoutMs })
    const { error } = answer.json<{ readonly error?: ApiError }>()
    if (error !== undefined) throw fromApiError(error, 'JetStream refuses')
  } catch (cause) {
    if (cause instanceof Error && cause.cause instanceof NoRespondersError)
      throw new KirokuError('JetStreamDisabled', 'this NATS has JetStream off')
    if (!(cause instanceof TimeoutError)) throw toKirokuError(cause, 'JetStream does not answer')
    throw isHeard
      ? new KirokuError(
          'NoQuorum',
          `NATS answers, but JetStream did not within ${timeoutMs} ms: it has no leader`,
        )
      : new KirokuError('NatsUnreachable', `NATS did not answer within ${timeoutMs} ms`)
  }
}
