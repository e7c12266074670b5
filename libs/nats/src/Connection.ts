import { readFile } from 'node:fs/promises'
import { accessAt, inboxOf, NatsKey } from '@kiroku/nats-access'
import { type ErrorId, KirokuError } from '@kiroku/protocol'
import { AuthorizationError, type NatsConnection, TimeoutError, type TlsOptions } from '@nats-io/nats-core'
import { credsAuthenticator, type Authenticator, type NodeConnectionOptions } from '@nats-io/transport-node'
import { backOffMsMax, backOffMsMin, connectTimeoutMs, pingIntervalMs } from './limits.ts'
import { connectWhole } from './WholeTransport.ts'
import { wantsCertificate } from './wantsCertificate.ts'
import { withoutUser } from './withoutUser.ts'

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
  /**
   * The name of the client that this is, where NATS has rights for clients by name; answers then arrive where no other
   * client can hear them.
   */
  readonly as?: string
  /** Where no credentials are given: the key of a node, if Kiroku runs the server for this user. */
  readonly findsKey?: boolean
  /** How long the first connection may take, in ms; default 5,000. */
  readonly timeoutMs?: number
  /** Set to require TLS; a server that requires it gets it either way. */
  readonly tls?: TlsOptions
}

/**
 * Connects to NATS. A connection lost later is restored automatically, without a limit on attempts, with
 * growing pauses; what was published meanwhile is not sent again. Errors, when the first attempt fails:
 * `NatsUnreachable`, `NatsUnauthorized`, `NatsTlsFailed`, `InvalidArgument` (an address or a file of credentials that
 * cannot be read).
 */
export const connect = async (options: NatsOptions): Promise<NatsConnection> => {
  const servers = [options.servers].flat().map(withoutUser)
  let downSinceMs = performance.now()
  try {
    const nc = await connectWhole({
      ...(await credentials(options, servers)),
      servers,
      name: options.name ?? 'kiroku',
      inboxPrefix: inboxOf(options.as),
      timeout: options.timeoutMs ?? connectTimeoutMs,
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
    const where = servers.join(', ')
    // A server that refuses a client's certificate says nothing that arrives.
    if (cause instanceof TimeoutError && (await Promise.all(servers.map(wantsCertificate))).includes(true))
      throw new KirokuError(
        'NatsTlsFailed',
        `${where} lets in no client without a certificate that it trusts`,
        {
          cause,
        },
      )
    throw new KirokuError(refusalOf(cause), `cannot connect to ${where}: ${text(cause)}`, { cause })
  }
}

/** Why a connection was not made, by the whole chain of causes. */
const refusalOf = (cause: unknown): ErrorId => {
  if (!(cause instanceof Error)) return 'NatsUnreachable'
  if (cause instanceof AuthorizationError) return 'NatsUnauthorized'
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ERR_INVALID_URL') return 'InvalidArgument'
  if (tlsCodes.test(code ?? '') || cause.message === "server does not support 'tls'") return 'NatsTlsFailed'
  return refusalOf(cause.cause)
}

/** Codes of Node.js for certificates that cannot be read or are not trusted, and for handshakes that fail. */
const tlsCodes = /CERT|CRL|^ERR_(OSSL|SSL|TLS)|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH|EPROTO/

/** Pause before the next attempt: an eighth of the outage so far, within limits, plus or minus a quarter of that. */
export const pauseMs = (downMs: number, chance: number): number =>
  Math.min(backOffMsMax, Math.max(backOffMsMin, downMs / 8)) * (0.75 + chance / 2)

const credentials = async (
  options: NatsOptions,
  servers: readonly string[],
): Promise<NodeConnectionOptions> => {
  const { token, user, pass, creds, tls } = options
  const isGiven = [token, user, pass, creds, options.nkey].some((each) => each !== undefined)
  const found = options.findsKey === true && !isGiven ? accessAt(servers)?.node : undefined
  const nkey = options.nkey ?? found?.nkey
  return {
    ...(token === undefined ? {} : { token }),
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    ...(tls === undefined ? {} : { tls }),
    ...(creds === undefined ? {} : { authenticator: credsAuthenticator(await secret(creds)) }),
    ...(nkey === undefined ? {} : { authenticator: await keyAuthenticator(nkey) }),
  }
}

const secret = async (path: string): Promise<Uint8Array> => {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new KirokuError('InvalidArgument', `cannot read the credentials in ${path}: ${text(cause)}`, {
      cause,
    })
  }
}

const keyAuthenticator = async (path: string): Promise<Authenticator> => {
  const seed = new TextDecoder().decode(await secret(path))
  let key: NatsKey
  try {
    key = new NatsKey(seed)
  } catch (cause) {
    throw new KirokuError('InvalidArgument', `there is no NKey seed in ${path}: ${text(cause)}`, { cause })
  }
  return (nonce = '') => ({ nkey: key.publicKey, sig: nonce === '' ? '' : key.sign(nonce) })
}

const text = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
