import type { Transport, LogDirectory } from '@kiroku/client'
import { isStreamMissing, requestCommands, toKirokuError } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import { Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/nats-core'

/** Which log, and who closes the connection. */
export interface NatsTransportOptions {
  /** Name of the log; default `main`. */
  readonly log?: string
  /** Whether closing the transport closes the connection; default false. */
  readonly closesConnection?: boolean
}

/** The way to a log's partitions over a connection to NATS. */
export const natsTransport = (nc: NatsConnection, options: NatsTransportOptions = {}): Transport => {
  const { log = 'main', closesConnection = false } = options
  const requester = requestCommands(nc, { log })
  return {
    directory: () => readDirectory(nc, log),
    request: requester.request,
    onOwnerChanged: requester.onOwnerChanged,
    onReconnected: requester.onReconnected,
    onStray: requester.onStray,
    close: async () => {
      requester.close()
      if (closesConnection && !nc.isClosed()) await nc.drain()
    },
  }
}

const readDirectory = async (nc: NatsConnection, log: string): Promise<LogDirectory> => {
  const stored = await readCatalogue(nc, log)
  // A log does not exist until all its partitions do.
  if (stored?.complete !== true)
    throw new KirokuError(
      'Unavailable',
      `There is no log "${log}" on this NATS; an engine creates it when it starts`,
    )
  const { incarnation, partitions } = stored.meta
  return { log, incarnation, partitions }
}

/** The part of a catalogue entry that clients read. */
interface CatalogueEntry {
  readonly meta: { readonly incarnation: string; readonly partitions: number }
  readonly complete: boolean
}

const readCatalogue = async (nc: NatsConnection, log: string): Promise<CatalogueEntry | undefined> => {
  try {
    // From the leader: a stale answer would deny a log that was just created.
    const bucket = await new Kvm(nc).open('KIROKU_CATALOGUE', { allow_direct: false })
    const entry = await bucket.get(`log.${log}`)
    return entry?.operation === 'PUT' ? entry.json<CatalogueEntry>() : undefined
  } catch (cause) {
    if (isStreamMissing(cause)) return undefined
    throw toKirokuError(cause, `Cannot read the directory of the log "${log}"`)
  }
}
