import { hostname } from 'node:os'
import { createClient, type Client, type ClientOptions } from '@kiroku/client'
import { connect as connectNats, type NatsOptions } from '@kiroku/nats'
import { type Actor, checkOptions, type OptionRules, rule } from '@kiroku/protocol'
import { findEngine } from './findEngine.ts'
import { natsTransport } from './natsTransport.ts'

/** Where NATS is, which log, and the client's own settings. */
export interface ConnectOptions extends Omit<NatsOptions, 'servers'>, Omit<ClientOptions, 'name'> {
  /** One URL or several, like `nats://127.0.0.1:4222`; default: that of the engine started in this folder. */
  readonly servers?: NatsOptions['servers']
  /** Name of the log; default `main`. */
  readonly log?: string
  /**
   * `on`: partitions whose owner runs on this machine, under the same user, are reached directly, and the others over NATS;
   * `off`: all over NATS. Default `on`.
   */
  readonly link?: 'on' | 'off'
}

/**
 * Connects to a log on NATS. A lost connection is restored automatically, with growing pauses. The nats-server of an engine
 * that this user started on this machine needs no credentials: they are found.
 * Errors, when the first attempt fails: `NatsUnreachable`, `NatsUnauthorized`, `NatsTlsFailed`, `InvalidArgument` (an
 * unknown option, an address or a file that cannot be read).
 *
 * @example
 * const client = await connect()
 * await client.send('orders', { id: 1 })
 * await client.close()
 */
export const connect = async (options: ConnectOptions = {}): Promise<Client> => {
  checkOptions('connect', options, connectOptions)
  const found = findEngine(options)
  const nc = await connectNats(found)
  const transport = natsTransport(nc, {
    closesConnection: true,
    as: found.as,
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.link === undefined ? {} : { link: options.link }),
  })
  return createClient(transport, { ...options, name: options.name ?? `${hostname()}-${process.pid}` })
}

const connectOptions: OptionRules<ConnectOptions> = {
  servers: (value) =>
    [value].flat().every((url) => typeof url === 'string')
      ? undefined
      : 'a URL, such as nats://127.0.0.1:4222, or several',
  token: rule.text,
  user: rule.text,
  pass: rule.text,
  creds: rule.text,
  nkey: rule.text,
  tls: rule.any,
  timeoutMs: rule.milliseconds,
  log: rule.text,
  link: (value) => (value === 'on' || value === 'off' ? undefined : '"on" or "off"'),
  name: rule.text,
  actor: (value) => {
    const { name, origin } = Object(value) as Partial<Actor>
    return typeof name === 'string' && typeof origin === 'string'
      ? undefined
      : 'an object with a name and an origin'
  },
  sendTimeoutMs: rule.any,
  requestTimeoutMs: rule.any,
  onEvent: rule.callback,
  as: rule.text,
  findsKey: rule.internal,
  clock: rule.internal,
  sendPatience: rule.internal,
  envelopeSizes: rule.internal,
}
