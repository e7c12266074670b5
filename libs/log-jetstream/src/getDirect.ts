import type { Msg, NatsConnection } from '@nats-io/nats-core'
import { askConnected } from './askLeader.ts'
import { replicaTimeoutMs } from './limits.ts'

/**
 * One message of a stream as whichever replica answers has it; undefined when that one lacks it, or says nothing. Then the leader is
 * to be asked, whose answer takes far longer to read: base64 in JSON.
 *
 * @param query the message by its sequence, or the next one of a subject
 */
export const getDirect = async (
  nc: NatsConnection,
  stream: string,
  query: { readonly seq: number; readonly next_by_subj?: string },
): Promise<Msg | undefined> => {
  try {
    const msg = await askConnected(nc, () =>
      nc.request(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify(query), { timeout: replicaTimeoutMs }),
    )
    return msg.headers?.code ? undefined : msg
  } catch {
    // If the fault is not the replica's, the leader reports it.
    return undefined
  }
}

/** Where in its stream a message that {@link getDirect} found is. */
export const seqOf = ({ headers }: Msg): number => Number(headers!.get('Nats-Sequence'))
