import { readFile } from 'node:fs/promises'
import { KirokuError } from '@kiroku/protocol'
import type { NatsConnection, TlsOptions } from '@nats-io/nats-core'
import {
  connect as connectNode,
  credsAuthenticator,
  nkeyAuthenticator,
  type NodeConnectionOptions,
} from '@nats-io/transport-node'
import { backOffMsMax, backOffMsMin, connectTimeoutMs, pingIntervalMs } from './limits.ts'

/** Where NATS is and how to log in; everything but the servers is passed through. */
export interface NatsOptions {
  /** One URL or several, like `nats://127.0.0.1:4222`. */
  readonly servers: string | readonly string[]
  /** Shown in the server's list of connections. */
  readonly name?: string
  readonly token?: string
  readonly user?: string
  readonly pass?: string
  /** Path of a credentials file. */
  readonly creds?: string
  /** Path of a file with an NKey seed. */
  readonly nkey?: string
  /** Set to require TLS; a server that requires it gets it either way. */
  readonly tls?: TlsOptions
}

/**
 * Connects to NATS. A connection lost later is restored automatically, without a limit on attempts, with
 * growing pauses; what was published meanwhile is not sent again. Errors: `NatsUnreachable` when the first
 * attempt fails, also when the credentials are refused or unreadable.
 */
export const connect = async (options: NatsOptions): Promise<NatsConnection> => {
  const servers = typeof options.servers === 'string' ? [options.servers] : [...options.servers]
  let downSinceMs = performance.now()
  try {
    const nc = await connectNode({
      ...(await credentials(options)),
      servers,
      name: options.name ?? 'kiroku',
      timeout: connectTimeoutMs,
      pingInterval: pingIntervalMs,
      maxPingOut: 2,
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      noAsyncTraces: true,
      reconnectDelayHandler: () => pauseMs(performance.now() - downSinceMs, Math.random()),
    })
    void (async () => {
      for await (const status of nc.status())
        if (status.type === 'disconnect') downSinceMs = performance.now()
    })()
    return nc
  } catch (cause) {
    if (cause instanceof KirokuError) throw cause
    throw new KirokuError('NatsUnreachable', `cannot connect to ${servers.join(', ')}: ${text(cause)}`, {
      cause,
    })
  }
}

/** Pause before the next attempt: a quarter of the outage so far, within limits, plus or minus a quarter of that. */
export const pauseMs = (downMs: number, chance: number): number =>
  Math.min(backOffMsMax, Math.max(backOffMsMin, downMs / 4)) * (0.75 + chance / 2)

const credentials = async (options: NatsOptions): Promise<NodeConnectionOptions> => {
  const { token, user, pass, creds, nkey, tls } = options
  return {
    ...(token === undefined ? {} : { token }),
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    ...(tls === undefined ? {} : { tls }),
    ...(creds === undefined ? {} : { authenticator: credsAuthenticator(await secret(creds)) }),
    ...(nkey === undefined ? {} : { authenticator: nkeyAuthenticator(trimmed(await secret(nkey))) }),
  }
}

const secret = async (path: string): Promise<Uint8Array> => {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new KirokuError('NatsUnreachable', `cannot read the credentials in ${path}: ${text(cause)}`, {
      cause,
    })
  }
}

const trimmed = (seed: Uint8Array): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(seed).trim())

const text = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
