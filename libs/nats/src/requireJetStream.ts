import { KirokuError } from '@kiroku/protocol'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { findOutage } from './findOutage.ts'
import { requestTimeoutMs, serverVersionMin } from './limits.ts'

/**
 * Checks that the server behind `nc` is new enough and has JetStream, and returns its manager.
 * Errors: `NatsTooOld`, and what `findOutage` finds.
 */
export const requireJetStream = async (nc: NatsConnection): Promise<JetStreamManager> => {
  const { info } = nc
  if (!info) throw new KirokuError('NatsUnreachable', 'the connection to NATS is not up')
  if (isOlder(info.version, serverVersionMin))
    throw new KirokuError('NatsTooOld', `nats-server ${info.version} is older than ${serverVersionMin}`)
  if (info.jetstream !== true)
    throw new KirokuError('JetStreamDisabled', `${info.server_name} has JetStream off`)
  const outage = await findOutage(nc, requestTimeoutMs)
  if (outage !== undefined) throw outage
  return jetstreamManager(nc, { timeout: requestTimeoutMs, checkAPI: false })
}

/** Whether version `a` is before `b`, by their numbers; a pre-release counts as its release. */
export const isOlder = (a: string, b: string): boolean => {
  const [left, right] = [numbers(a), numbers(b)]
  for (let i = 0; i < right.length; i++) if (left[i] !== right[i]) return (left[i] ?? 0) < right[i]!
  return false
}

const numbers = (version: string): number[] =>
  version
    .split('-')[0]!
    .split('.')
    .map((part) => Number.parseInt(part, 10) || 0)
