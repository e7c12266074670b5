import { hostname } from 'node:os'
import { createClient, type Client, type ClientOptions } from '@kiroku/client'
import { connect as connectNats, type NatsOptions } from '@kiroku/nats'
import { natsTransport } from './natsTransport.ts'

/** Where NATS is, which log, and the client's own settings. */
export interface ConnectOptions extends NatsOptions, Omit<ClientOptions, 'name'> {
  /** Name of the log; default `main`. */
  readonly log?: string
  /**
   * `on`: partitions whose owner runs on this machine, under the same user, are reached directly, and the others over NATS;
   * `off`: all over NATS. Default `on`.
   */
  readonly link?: 'on' | 'off'
}

/**
 * Connects to a log on NATS. A lost connection is restored automatically, with growing pauses.
 * Errors, when the first attempt fails: `NatsUnreachable`, `NatsUnauthorized`, `NatsTlsFailed`, `InvalidArgument` (an
 * address or a file that cannot be read).
 *
 * @example
 * const client = await connect({ servers: 'nats://127.0.0.1:4222' })
 * await client.send('orders', { id: 1 })
 * await client.close()
 */
export const connect = async (options: ConnectOptions): Promise<Client> => {
  const nc = await connectNats(options)
  const transport = natsTransport(nc, {
    closesConnection: true,
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.link === undefined ? {} : { link: options.link }),
  })
  return createClient(transport, { ...options, name: options.name ?? `${hostname()}-${process.pid}` })
}
