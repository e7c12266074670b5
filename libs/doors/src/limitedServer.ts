import { createServer, type Server } from 'node:http'
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
 */
export const limitedServer = (
  { connectionsMax, headerMs, requestMs, idleMs }: HttpLimits,
  onDropped: () => void,
): Server => {
  const server = createServer({
    headersTimeout: Math.min(headerMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(headerMs, requestMs) / looks,
    maxHeaderSize: headerBytesMax,
  })
  server.maxConnections = connectionsMax
  server.timeout = stalledMs
  server.on('drop', onDropped)
  return server
}
