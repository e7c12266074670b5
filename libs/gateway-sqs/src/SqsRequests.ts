import { ChurnSet } from '@kiroku/protocol'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DoorRequests, InFlight, OnDefect } from '@kiroku/doors'
import type { Caller } from './access/Caller.ts'
import { Call, type CallContext } from './actions/Call.ts'
import { actions } from './actions/index.ts'
import { subjectOf } from './actions/subjectOf.ts'
import { Ending } from './Ending.ts'
import { asSqsError, SqsError } from './SqsError.ts'
import { callerGone, readBody } from './wire/readBody.ts'
import { readRequest, type SqsRequest } from './wire/readRequest.ts'
import { writeAnswer, writeError, type Written } from './wire/writeAnswer.ts'

/** What requests are answered with. */
export interface SqsRequestsOptions extends CallContext {
  readonly inFlight: InFlight
  readonly closing: AbortSignal
  readonly onDefect: OnDefect
  readonly requests: DoorRequests
  /** Says who asks, by the request and its body. Errors: `Forbidden`, and those of signatures */
  readonly identify: (request: IncomingMessage, body: string) => Caller
}

/** Why a receive ends early. */
const doorCloses = new Error('The door closes.')

/** Answers requests of both protocols. */
export class SqsRequests {
  readonly #o: SqsRequestsOptions
  readonly #unanswered = new ChurnSet<Ending>()

  constructor(options: SqsRequestsOptions) {
    this.#o = options
    options.closing.addEventListener('abort', () => {
      for (const each of this.#unanswered) each.end(doorCloses)
    })
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { identify, inFlight, onDefect, requests } = this.#o
    const id = randomUUID()
    const startedMs = performance.now()
    const ending = new Ending()
    this.#unanswered.add(ending)
    // A caller that gives up is not handed a message.
    response.once('close', () => {
      this.#unanswered.delete(ending)
      if (!response.writableFinished) ending.end(callerGone)
    })
    let asked: SqsRequest | undefined
    let written: Written
    let code = 'ok'
    try {
      inFlight.enter(request.socket, request)
      const body = await readBody(request, inFlight)
      const caller = identify(request, body)
      asked = readRequest(request, body)
      const { action: name, input, queuePath } = asked
      const action = actions[name]!
      const call = new Call(this.#o, request, queuePath, caller, ending)
      await call.may(name, { role: action.role, on: subjectOf(action, call, input) })
      written = writeAnswer(asked, id, await action.run(call, input))
    } catch (error) {
      // A receive that the door ends by closing has nothing.
      if (asked !== undefined && error === ending.reason) written = writeAnswer(asked, id, {})
      else {
        const known = asSqsError(error)
        if (error === callerGone) ending.end(callerGone)
        if (known === undefined && ending.reason === undefined)
          onDefect(error, `${request.method} ${request.url?.split('?')[0]}`)
        const told =
          known ?? new SqsError('InternalFailure', 'This is a defect in Kiroku; its log says what failed.')
        code = told.code
        written = writeError(asked?.protocol ?? protocolOf(request), id, told)
      }
    } finally {
      inFlight.leave(request)
    }
    const outcome = ending.reason === callerGone ? 'gone' : code
    requests.record('sqs', asked?.action ?? 'unknown', outcome, (performance.now() - startedMs) / 1_000)
    if (response.destroyed) return
    // What follows of a body that was refused is not read.
    if (!request.complete) response.setHeader('connection', 'close')
    response.writeHead(written.status, written.headers).end(written.body, written.encoding)
  }
}

const protocolOf = ({ headers }: IncomingMessage): 'json' | 'query' =>
  headers['x-amz-target'] === undefined ? 'query' : 'json'
