import { KirokuError } from '@kiroku/protocol'
import { type NatsConnection, NoRespondersError, TimeoutError } from '@nats-io/nats-core'
import { type ApiError, fromApiError, jetStreamCode, toKirokuError } from './jetStreamErrors.ts'

/** An answer about JetStream, or about a stream; a server outside a cluster says nothing of one. */
interface Info {
  readonly error?: ApiError
  readonly cluster?: { readonly leader?: string }
}

/**
 * Asks JetStream whether it answers; undefined: it does. A server that answers pings while JetStream says nothing has no
 * quorum. Otherwise the reason: `NatsUnreachable`, `NoQuorum`, `JetStreamDisabled`, `NatsForbidden`.
 *
 * @param timeoutMs how long it may take, in ms
 * @param stream what must have a leader, if it exists: it may have lost its own before JetStream as a whole notices; absent: only
 * JetStream is asked
 */
export const findOutage = async (
  nc: Pick<NatsConnection, 'request' | 'rtt'>,
  timeoutMs: number,
  stream?: string,
): Promise<KirokuError | undefined> => {
  let isHeard = false
  // Not at once: what came back right before a server froze proves nothing.
  const ping = setTimeout(() => {
    nc.rtt().then(
      () => (isHeard = true),
      () => {},
    )
  }, timeoutMs / 2)
  try {
    const subject = stream === undefined ? '$JS.API.INFO' : `$JS.API.STREAM.INFO.${stream}`
    const answer = await nc.request(subject, undefined, { timeout: timeoutMs })
    const { error, cluster } = answer.json<Info>()
    if (error?.err_code === jetStreamCode.streamNotFound) return undefined
    if (error === undefined)
      return cluster === undefined || cluster.leader
        ? undefined
        : new KirokuError('NoQuorum', `JetStream stores nothing: ${stream} has no leader`)
    return fromApiError(error, 'JetStream refuses')
  } catch (cause) {
    if (cause instanceof Error && cause.cause instanceof NoRespondersError)
      return new KirokuError('JetStreamDisabled', 'this NATS has JetStream off')
    if (!(cause instanceof TimeoutError)) return toKirokuError(cause, 'JetStream does not answer')
    return isHeard
      ? new KirokuError(
          'NoQuorum',
          `NATS answers, but JetStream did not within ${timeoutMs} ms: it has no leader, or too much to do`,
        )
      : new KirokuError('NatsUnreachable', `NATS did not answer within ${timeoutMs} ms`)
  } finally {
    clearTimeout(ping)
  }
}
