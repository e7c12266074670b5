import * as http from 'node:http'
import * as https from 'node:https'
import type { Certificate } from './Certificate.ts'
import type { HttpLimits } from './HttpLimits.ts'

/** Longest header of a request, in bytes. */
const headerBytesMax = 16 * 1024

/** A connection on which nothing moves for this long is closed: no receive waits as long, in ms. */
const stalledMs = 120_000

/** How often slow callers are looked for, as a share of the shortest time that they have. */
const looks = 4

/**
 * A server for HTTP that drops connections beyond its limit and those that are slow or rest for too long.
 *
 * @param onDropped called once per connection beyond the limit
 * @param certificate speaks TLS with it, and with what it is renewed to; absent: plain HTTP
 */
export const limitedServer = (
  { connectionsMax, headerMs, requestMs, idleMs }: HttpLimits,
  onDropped: () => void,
  certificate?: Certificate,
): http.Server => {
  const options = {
    headersTimeout: Math.min(headerMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(headerMs, requestMs) / looks,
    maxHeaderSize: headerBytesMax,
  }
  const server =
    certificate === undefined ? http.createServer(options) : tlsServer(certificate, options, headerMs)
  server.maxConnections = connectionsMax
  server.timeout = stalledMs
  server.on('drop', onDropped)
  return server
}

const tlsServer = (
  certificate: Certificate,
  options: http.ServerOptions,
  handshakeTimeout: number,
): http.Server => {
  const server = https.createServer({ ...options, ...certificate.pair, handshakeTimeout })
  const forget = certificate.onRenewed((pair) => server.setSecureContext(pair))
  server.once('close', forget)
  return server as unknown as http.Server
}
