import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  checkBind,
  checkLocalRequest,
  httpUrl,
  local,
  InFlight,
  limitedServer,
  listenError,
  type Address,
  type Door,
  type DoorAccess,
  type Headers,
  type HttpLimits,
  type OpenDoor,
} from '@kiroku/doors'
import { KirokuError } from '@kiroku/protocol'
import type { Caller } from './access/Caller.ts'
import type { Keys } from './access/Keys.ts'
import { Signatures } from './access/Signatures.ts'
import { Queues } from './queue/Queues.ts'
import { SqsRequests } from './SqsRequests.ts'

/** Where and how the door listens. */
export interface SqsDoorOptions extends Address {
  readonly limits: HttpLimits
  /** The account in queue URLs and ARNs. */
  readonly account: string
  /** What the URLs of queues that callers are told begin with; absent: the address that they asked. */
  readonly url?: string | undefined
  /** How long after a purge and a deletion the next is refused, in ms; absent: not at all. */
  readonly pauseMs?: number | undefined
  /** With which callers sign; absent: every program of this machine is served, and no other. */
  readonly keys?: Keys | undefined
}

/** The door for clients of Amazon SQS: AWS JSON 1.0 and the Query protocol. */
export const sqsDoor = (options: SqsDoorOptions): Door => ({
  name: 'sqs',
  start: (access) => startSqs(access, options),
})

const startSqs = async (
  { client, tokens, drainMs, outage, onDefect, requests: counted }: DoorAccess,
  { host, port, limits, account, url: told, pauseMs, keys }: SqsDoorOptions,
): Promise<OpenDoor> => {
  const signatures = keys === undefined ? undefined : new Signatures(keys, account)
  if (signatures === undefined) {
    checkBind(host, tokens)
    if (tokens.areRequired)
      throw new KirokuError(
        'InvalidConfig',
        'clients of SQS know no tokens: give the door keys, with which they sign',
      )
  }
  const everyone: Caller = { ...local, account }
  const inFlight = new InFlight(limits)
  const closing = new AbortController()
  const server = limitedServer(limits, () => inFlight.dropped())
  const requests = new SqsRequests({
    client,
    queues: new Queues(client),
    account,
    owner: keys === undefined ? undefined : account,
    url: told,
    pauseMs,
    inFlight,
    closing: closing.signal,
    outage,
    onDefect,
    requests: counted,
    identify: (request, body) => {
      const { method = '', url = '/', headers } = request
      if (signatures !== undefined) return signatures.identify({ method, url, headers, body }, Date.now())
      checkLocalRequest(originOf(request))
      return everyone
    },
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    requests.answer(request, response),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      closing.abort()
      reject(listenError(error, { host, port }) as Error)
    })
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: httpUrl({ host, port: bound }, false),
    close: () =>
      new Promise((resolve) => {
        closing.abort()
        const late = setTimeout(() => server.closeAllConnections(), drainMs)
        server.close(() => {
          clearTimeout(late)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}

/** What tells a browser's request from a program's. */
const originOf = ({ headers: { host, origin, 'sec-fetch-site': site } }: IncomingMessage): Headers => ({
  host,
  origin,
  'sec-fetch-site': site,
})
