import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What an upstream says while it is too busy. */
interface Busy {
  /** Seconds, by the clock that it was given. */
  readonly until: number
  /** Its `Retry-After`, by the seconds that are left. */
  readonly retryAfter: (leftSeconds: number) => string | undefined
}

/** One call as the upstream got it. */
interface UpstreamCall {
  /** Seconds, by the clock that it was given. */
  readonly at: number
  readonly body: string
  readonly status: number
}

/**
 * Starts a real HTTP server on loopback that answers 429 while it is too busy, and 200 otherwise. `await using` ends it.
 *
 * @param seconds the time
 */
export const startUpstream = async (seconds: () => number) => {
  const calls: UpstreamCall[] = []
  let busy: Busy = { until: 0, retryAfter: () => undefined }
  let open = 0
  const server = createServer((request, response) => {
    const body: Buffer[] = []
    request.on('data', (chunk: Buffer) => body.push(chunk))
    request.on('end', () => {
      const at = seconds()
      const left = busy.until - at
      const status = left > 0 ? 429 : 200
      calls.push({ at, body: Buffer.concat(body).toString(), status })
      const retryAfter = left > 0 ? busy.retryAfter(left) : undefined
      response.writeHead(status, {
        connection: 'close',
        ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
      })
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    calls,
    /** Answers 429 until then. */
    beBusy: (until: number, retryAfter: Busy['retryAfter']): void => void (busy = { until, retryAfter }),
    /** Calls it, as a handler does. */
    call: async (body: string): Promise<Response> => {
      open++
      try {
        const response = await fetch(url, { method: 'POST', body })
        await response.arrayBuffer()
        return response
      } finally {
        open--
      }
    },
    /** Calls that wait for their answer. */
    get open(): number {
      return open
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A running upstream. */
export type Upstream = Awaited<ReturnType<typeof startUpstream>>
