import { isLoopback } from '@kiroku/doors'
import { connect, type NatsOptions } from '@kiroku/nats'
import { isKirokuError } from '@kiroku/protocol'
import { catalogueStream } from '../../log/logAdapter.ts'
import type { Nats } from '../../serve/describeCluster.ts'
import type { NatsAccess } from './judgeAccess.ts'

const askMs = 1_000

/** Tries to enter NATS without credentials, beside the connection that is there. */
export const askAccess = async (nats: Nats, { servers, tls }: NatsOptions): Promise<NatsAccess> => {
  const isTls = tls !== undefined || nats.info?.tls_required === true
  const { hostname } = new URL(`nats://${nats.getServer()}`)
  return { entry: await enter(servers, tls), isPlain: !isTls && !isLoopback(hostname) }
}

const enter = async (
  servers: NatsOptions['servers'],
  tls: NatsOptions['tls'],
): Promise<NatsAccess['entry']> => {
  try {
    const ca = tls?.ca
    const nats = await connect({ servers, timeoutMs: askMs, ...(ca === undefined ? {} : { tls: { ca } }) })
    try {
      const answer = await nats.request(`$JS.API.STREAM.INFO.${catalogueStream}`, '', { timeout: askMs })
      return 'config' in answer.json<object>() ? 'open' : 'elsewhere'
    } catch {
      return 'elsewhere'
    } finally {
      await nats.close()
    }
  } catch (error) {
    return isKirokuError(error) && (error.id === 'NatsUnauthorized' || error.id === 'NatsTlsFailed')
      ? 'closed'
      : undefined
  }
}
