import type { StoredMsg } from '@nats-io/jetstream'
import type { Msg, NatsConnection } from '@nats-io/nats-core'
import { askConnected } from './askLeader.ts'
import { replicaTimeoutMs } from './limits.ts'

/** What is read of a message of a stream. */
export type StoredMessage = Pick<StoredMsg, 'seq' | 'timestamp' | 'data'>

/**
 * One message of a stream, from whichever replica answers; undefined if that replica lacks it or does not answer. Then ask the leader,
 * whose answer takes far longer to read: it is base64 in JSON.
 *
 * @param query the message by its sequence, or the next one of a subject
 */
export const getDirect = async (
  nc: NatsConnection,
  stream: string,
  query: { readonly seq: number; readonly next_by_subj?: string },
): Promise<StoredMessage | undefined> => {
  try {
    const msg = await askConnected(nc, () =>
      nc.request(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify(query), { timeout: replicaTimeoutMs }),
    )
    return msg.headers?.code ? undefined : storedMessage(msg)
  } catch {
    // If the fault is not the replica's, the leader reports it.
    return undefined
  }
}

/** The message that an answer to a direct get holds. */
export const storedMessage = ({ headers, data }: Msg): StoredMessage => ({
  seq: Number(headers!.get('Nats-Sequence')),
  timestamp: headers!.get('Nats-Time-Stamp'),
  data,
})
