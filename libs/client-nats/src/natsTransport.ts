import { ownerFirst, type Transport, type LogDirectory } from '@kiroku/client'
import { Links } from '@kiroku/link'
import {
  askDirectory,
  findOutage,
  isStreamMissing,
  type LinkNews,
  requestCommands,
  toKirokuError,
} from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import { Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/nats-core'
import { keepFreedMemory } from './keepFreedMemory.ts'

/** Which log, and who closes the connection. */
export interface NatsTransportOptions {
  /** Name of the log; default `main`. */
  readonly log?: string
  /** The name under which the connection was made, as in `NatsOptions`. */
  readonly as?: string | undefined
  /** Whether closing the transport closes the connection; default false. */
  readonly closesConnection?: boolean
  /**
   * `on`: owners on this machine are reached directly, where they allow it, and over NATS otherwise; `off`: all over
   * NATS. Default `on`.
   */
  readonly link?: 'on' | 'off'
}

/** The way to a log's partitions over a connection to NATS, and directly to owners on this machine. */
export const natsTransport = (nc: NatsConnection, options: NatsTransportOptions = {}): Transport => {
  const { link = 'on', log = 'main' } = options
  keepFreedMemory()
  if (link === 'off') return overNats(nc, options, undefined)
  const links = new Links(log, options.as)
  const transport = ownerFirst(links, overNats(nc, options, links))
  return {
    ...transport,
    // `ownerFirst` cannot know that links copy as well.
    copies: true,
    close: async () => {
      await transport.close()
      links.close()
    },
  }
}

const overNats = (
  nc: NatsConnection,
  options: NatsTransportOptions,
  links: LinkNews | undefined,
): Transport => {
  const { log = 'main', as, closesConnection = false } = options
  const requester = requestCommands(nc, { log, as, links })
  return {
    copies: true,
    directory: () => (as === undefined ? readDirectory(nc, log) : askedDirectory(nc, log, as)),
    request: requester.request,
    onOwnerChanged: requester.onOwnerChanged,
    onReconnected: requester.onReconnected,
    onStray: requester.onStray,
    outage: () => (as === undefined ? findOutage(nc, outageTimeoutMs, `KV_${catalogueBucket}`) : pinged(nc)),
    close: async () => {
      requester.close()
      if (closesConnection && !nc.isClosed()) await nc.drain()
    },
  }
}

/** How long NATS may take to say why nothing is stored, in ms. */
const outageTimeoutMs = 700

const catalogueBucket = 'KIROKU_CATALOGUE'

/** A client with rights of its own may ask JetStream nothing: it finds out no more than that NATS is silent. */
const pinged = async (nc: NatsConnection): Promise<KirokuError | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<KirokuError>((resolve) => {
    const error = new KirokuError('NatsUnreachable', `NATS did not answer within ${outageTimeoutMs} ms`)
    timer = setTimeout(() => resolve(error), outageTimeoutMs)
  })
  const pong = nc.rtt().then(
    () => undefined,
    () => new KirokuError('NatsUnreachable', 'There is no connection to NATS'),
  )
  return Promise.race([pong, silence]).finally(() => clearTimeout(timer))
}

const askedDirectory = async (nc: NatsConnection, log: string, as: string): Promise<LogDirectory> => ({
  log,
  ...(await askDirectory(nc, log, as)),
})

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
    const bucket = await new Kvm(nc).open(catalogueBucket, { allow_direct: false })
    const entry = await bucket.get(`log.${log}`)
    return entry?.operation === 'PUT' ? entry.json<CatalogueEntry>() : undefined
  } catch (cause) {
    if (isStreamMissing(cause)) return undefined
    throw toKirokuError(cause, `Cannot read the directory of the log "${log}"`)
  }
}
