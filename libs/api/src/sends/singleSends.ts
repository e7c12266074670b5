import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Body, OutgoingMessage as Outgoing } from '@kiroku/client'
import {
  errorHeaders,
  identify,
  isForCaller,
  isFromPage,
  isTooMuchJson,
  mayRound,
  parseExact,
  roleFor,
  statusOf,
  toDoorError,
  type DoorAccess,
  type InFlight,
  type OperationTimes,
  type Tokens,
} from '@kiroku/doors'
import type { Json } from 'effect/Schema'
import * as Exit from 'effect/Exit'
import * as Schema from 'effect/Schema'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { payloads } from '../definition/Api.ts'
import { OutgoingMessage } from '../definition/schemas.ts'
import { errorWithoutOthers } from '../granted/errorWithoutOthers.ts'
import { Granted } from '../granted/Granted.ts'
import { toOutgoing, withBody } from '../handlers/bodies.ts'
import { headersOfAll } from '../plainRoutes.ts'
import { defectOf } from '../reportDefect.ts'
import { again } from './again.ts'

/** What single sends go by. */
interface SingleSends extends Pick<DoorAccess, 'tokens' | 'onDefect'> {
  readonly times: OperationTimes
  readonly inFlight: InFlight
  /** Largest request body, in bytes. */
  readonly bodyBytesMax: number
}

/** A send that was admitted. */
interface Send {
  readonly queue: string
  readonly granted: Granted
}

/** Larger requests are counted by their bytes, and may need a look at their queue's limit. */
const plainBytesMax = 8 * 1024

/** A queue's name that is written as it is. */
const path = /^\/v1\/queues\/([\w.-]+)\/messages$/

/**
 * Answers what is sent most by far, one ordinary message, without the fibers, contexts and middleware of the API's
 * definition, which take as much of a core as all else about such a send. Whatever is unusual about a request is left to the definition,
 * also when that shows only in its body: this answers what was sent, and how the engine refused it, as the definition would.
 *
 * @param other answers by the definition
 */
export const singleSends = (
  { client }: Pick<ApiDependencies, 'client'>,
  { tokens, onDefect, times, inFlight, bodyBytesMax }: SingleSends,
  other: RequestListener,
): RequestListener => {
  const bytesMax = Math.min(plainBytesMax, bodyBytesMax)

  const send = async ({ queue, granted }: Send, outgoing: Outgoing, response: ServerResponse) => {
    const { body, ...options } = outgoing
    try {
      answer(response, 200, await times.measure('send', () => client.send(queue, body, options)))
    } catch (thrown) {
      const error = isForCaller(thrown)
        ? errorWithoutOthers(toDoorError(thrown), granted)
        : defectOf(thrown, onDefect, `POST ${response.req.url}`)
      answer(response, statusOf(error.id), error, errorHeaders(error))
    }
  }

  return (request, response) => {
    const admitted = admit(request, tokens, bytesMax)
    if (admitted === undefined || inFlight.isFull(request.socket)) return void other(request, response)
    inFlight.enter(request.socket, request)
    const leave = (): void => inFlight.leave(request)
    response.once('close', leave)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      const outgoing = outgoingOf(bytes.toString())
      if (outgoing !== undefined) return void send(admitted, outgoing, response)
      response.off('close', leave)
      leave()
      other(again(request, bytes), response)
    })
  }
}

/** undefined: it is no ordinary send, or is refused. */
const admit = (
  { method, url, headers }: IncomingMessage,
  tokens: Tokens,
  bytesMax: number,
): Send | undefined => {
  if (method !== 'POST' || headers['content-type'] !== 'application/json') return undefined
  if (!(Number(headers['content-length']) <= bytesMax) || headers['content-encoding'] !== undefined)
    return undefined
  const queue = path.exec(url!)?.[1]
  if (queue === undefined) return undefined
  const granted = grantedOn(queue, headers, tokens)
  return granted && { queue, granted }
}

const grantedOn = (queue: string, headers: IncomingHttpHeaders, tokens: Tokens): Granted | undefined => {
  const { authorization = '' } = headers
  const told = headers as Readonly<Record<string, string | undefined>>
  // What an issuer signed takes time to check.
  if (isFromPage(told) || authorization.includes('.')) return undefined
  try {
    const presented = authorization.replace(/^Bearer /, '')
    const identity = identify(tokens, { presented, headers: told })
    if (identity instanceof Promise) return undefined
    roleFor(identity, { role: 'operator', on: { queue } })
    return new Granted(identity)
  } catch {
    // The definition refuses it too, and counts that.
    return undefined
  }
}

const decode = Schema.decodeUnknownExit(Schema.toCodecJson(OutgoingMessage), payloads)

/** Whether a message has nothing but a body. Any JSON that parses without rounding is a valid one, so no schema has to check it. */
const isOnlyBody = (parsed: unknown): parsed is { readonly body: Body } => {
  if (typeof parsed !== 'object' || parsed === null || !('body' in parsed)) return false
  for (const key in parsed) if (key !== 'body') return false
  return true
}

/** undefined: it is not a message. */
const outgoingOf = (text: string): Outgoing | undefined => {
  if (isTooMuchJson(text)) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    const isExact = !mayRound(text)
    if (isExact && isOnlyBody(parsed)) return parsed
    const decoded = decode(parsed)
    if (Exit.isFailure(decoded)) return undefined
    const exact = isExact ? undefined : (parseExact(text) as { readonly body?: Json })
    return toOutgoing(withBody(decoded.value, exact), 'the message')
  } catch {
    return undefined
  }
}

const answer = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  const text = JSON.stringify(value)
  response.writeHead(status, {
    ...headersOfAll,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}
