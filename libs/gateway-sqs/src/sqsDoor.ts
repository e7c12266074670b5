import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  actorOf,
  checkBind,
  httpUrl,
  identify,
  InFlight,
  limitedServer,
  listenError,
  type Address,
  type Door,
  type DoorAccess,
  type HttpLimits,
  type OpenDoor,
} from '@kiroku/doors'
import { KirokuError } from '@kiroku/protocol'
import { Queues } from './queue/Queues.ts'
import { SqsRequests } from './SqsRequests.ts'

/** Where and how the door listens. */
export interface SqsDoorOptions extends Address {
  readonly limits: HttpLimits
  /** The account in queue URLs and ARNs. */
  readonly account: string
}

/** The door for clients of Amazon SQS: AWS JSON 1.0 and the Query protocol, for programs of this machine. */
export const sqsDoor = (options: SqsDoorOptions): Door => ({
  name: 'sqs',
  start: (access) => startSqs(access, options),
})

const startSqs = async (
  { client, tokens, drainMs, onDefect }: DoorAccess,
  { host, port, limits, account }: SqsDoorOptions,
): Promise<OpenDoor> => {
  checkBind(host, tokens)
  if (tokens.areRequired)
    throw new KirokuError(
      'InvalidConfig',
      'this door knows no tokens: clients of SQS sign their requests with keys',
    )
  const inFlight = new InFlight(limits)
  const closing = new AbortController()
  const server = limitedServer(limits, () => inFlight.dropped())
  const requests = new SqsRequests({
    client,
    queues: new Queues(client),
    account,
    inFlight,
    closing: closing.signal,
    onDefect,
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const origin = `sqs ${request.socket.remoteAddress ?? 'unknown'}`
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    void requests.answer(request, response, async () =>
      actorOf(await identify(tokens, { presented: '', headers }), origin, undefined),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, { host, port }) as Error))
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
