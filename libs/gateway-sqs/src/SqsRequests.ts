import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Client } from '@kiroku/client'
import {
  actorOf,
  isLoopback,
  type DoorRequests,
  type InFlight,
  type Need,
  type OnDefect,
} from '@kiroku/doors'
import { roleOn } from '@kiroku/protocol'
import { admit } from './access/admit.ts'
import type { Caller } from './access/Caller.ts'
import { actions } from './actions/index.ts'
import { subjectOf } from './actions/subjectOf.ts'
import type { Queues } from './queue/Queues.ts'
import { asSqsError, SqsError } from './SqsError.ts'
import { callerGone, readBody } from './wire/readBody.ts'
import { readRequest, type SqsRequest } from './wire/readRequest.ts'
import { writeAnswer, writeError, type Written } from './wire/writeAnswer.ts'

/** What requests are answered with. */
export interface SqsRequestsOptions {
  readonly client: Client
  readonly queues: Queues
  readonly account: string
  /** The account that the URLs of queues must name; undefined: any. */
  readonly owner: string | undefined
  /** What the URLs of queues begin with; undefined: the address that the caller asked. */
  readonly url: string | undefined
  readonly pauseMs: number | undefined
  readonly inFlight: InFlight
  readonly closing: AbortSignal
  readonly onDefect: OnDefect
  readonly requests: DoorRequests
}

/** Why a receive ends early. */
const doorCloses = new Error('The door closes.')

/** Answers requests of both protocols. */
export class SqsRequests {
  readonly #o: SqsRequestsOptions
  readonly #unanswered = new Set<AbortController>()

  constructor(options: SqsRequestsOptions) {
    this.#o = options
    options.closing.addEventListener('abort', () => {
      for (const each of this.#unanswered) each.abort(doorCloses)
    })
  }

  /** @param identify says who asks, by the request and its body. Errors: `Forbidden`, and those of signatures */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    identify: (body: string) => Promise<Caller>,
  ): Promise<void> {
    const { inFlight, onDefect, requests } = this.#o
    const id = randomUUID()
    const startedMs = performance.now()
    const ending = new AbortController()
    const { signal } = ending
    this.#unanswered.add(ending)
    // A caller that gives up is not handed a message.
    response.once('close', () => {
      this.#unanswered.delete(ending)
      if (!response.writableFinished) ending.abort(callerGone)
    })
    let asked: SqsRequest | undefined
    let written: Written
    let code = 'ok'
    try {
      inFlight.enter(request.socket, request)
      const body = await readBody(request, inFlight)
      const caller = await identify(body)
      asked = readRequest(request, body)
      written = writeAnswer(asked, id, await this.#run(request, asked, caller, signal))
    } catch (error) {
      const known = asSqsError(error)
      if (error === callerGone) ending.abort(callerGone)
      if (known === undefined && !signal.aborted)
        onDefect(error, `${request.method} ${request.url?.split('?')[0]}`)
      const told =
        known ?? new SqsError('InternalFailure', 'This is a defect in Kiroku; its log says what failed.')
      code = told.code
      written = writeError(asked?.protocol ?? protocolOf(request), id, told)
    } finally {
      inFlight.leave(request)
    }
    const outcome = signal.reason === callerGone ? 'gone' : code
    requests.record('sqs', asked?.action ?? 'unknown', outcome, (performance.now() - startedMs) / 1_000)
    if (response.destroyed) return
    // What follows of a body that was refused is not read.
    if (!request.complete) response.setHeader('connection', 'close')
    response.writeHead(written.status, written.headers).end(written.body)
  }

  async #run(
    request: IncomingMessage,
    { action, input, queuePath, region }: SqsRequest,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { client, queues, account, url, owner, pauseMs } = this.#o
    const atMs = performance.now()
    const found = actions[action]!
    const peer = request.socket.remoteAddress ?? 'unknown'
    const may = (asked: string, need: Need): Promise<void> =>
      admit(
        { action: asked, need, caller, account, peer, headers: request.headers, nowMs: Date.now() },
        (queue) => queues.find(queue),
      )
    await may(action, { role: found.role, on: subjectOf(found, { queuePath, owner }, input) })
    try {
      return await found.run(
        {
          client,
          queues,
          atMs,
          queuePath,
          owner,
          by: actorOf(caller, `sqs ${peer}`, undefined),
          sender: caller.keyId === undefined ? undefined : caller.name,
          may,
          sees: (queue) => roleOn(caller.grants, queue) !== undefined,
          pauseMs,
          signal,
          urlOf: (queue) => `${url ?? urlAsked(request)}/${account}/${queue}`,
          arnOf: (queue) => `arn:aws:sqs:${region}:${account}:${queue}`,
        },
        input,
      )
    } catch (error) {
      // A receive that the door ends by closing has nothing.
      if (signal.aborted && error === signal.reason) return {}
      throw error
    }
  }
}

/** The address that a caller asked: that of a proxy on this machine, where it says so. */
const urlAsked = ({ headers, socket }: IncomingMessage): string => {
  const { host = 'localhost' } = headers
  const isProxied = isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
  const said = (name: string): string | undefined => {
    const value = headers[name]
    return isProxied && typeof value === 'string' ? value.split(',')[0]!.trim() : undefined
  }
  const isTls = said('x-forwarded-proto')?.toLowerCase() === 'https'
  return `${isTls ? 'https' : 'http'}://${said('x-forwarded-host') ?? host}`
}

const protocolOf = ({ headers }: IncomingMessage): 'json' | 'query' =>
  headers['x-amz-target'] === undefined ? 'query' : 'json'
