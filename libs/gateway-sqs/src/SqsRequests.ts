import { ChurnSet, type KirokuError } from '@kiroku/protocol'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { mayBeDone, watchOutages, type DoorRequests, type InFlight, type OnDefect } from '@kiroku/doors'
import type { Caller } from './access/Caller.ts'
import type { Output } from './actions/Action.ts'
import { Call, type CallContext } from './actions/Call.ts'
import { actions } from './actions/index.ts'
import { subjectOf } from './actions/subjectOf.ts'
import { Ending } from './Ending.ts'
import { asSqsError, SqsError } from './SqsError.ts'
import { callerGone, readBody } from './wire/readBody.ts'
import { protocolOf, readRequest, type SqsRequest } from './wire/readRequest.ts'
import { writeAnswer, writeError, type Written } from './wire/writeAnswer.ts'

/** What requests are answered with. */
export interface SqsRequestsOptions extends CallContext {
  readonly inFlight: InFlight
  readonly closing: AbortSignal
  /** Why NATS stores nothing now; undefined: it does. */
  readonly outage: () => Promise<KirokuError | undefined>
  readonly onDefect: OnDefect
  readonly requests: DoorRequests
  /** Says who asks, by the request and its body. Errors: `Forbidden`, and those of signatures */
  readonly identify: (request: IncomingMessage, body: string) => Caller
}

/** Why a receive ends early. */
const doorCloses = new Error('The door closes.')

/** A request and its response. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** By `performance.now()`. */
  readonly startedMs: number
  readonly ending: Ending
  /** What it asks, once it is read. */
  asked: SqsRequest | undefined
  isAnswered: boolean
}

/** Answers requests of both protocols. */
export class SqsRequests {
  readonly #o: SqsRequestsOptions
  readonly #unanswered = new ChurnSet<Exchange>()

  constructor(options: SqsRequestsOptions) {
    this.#o = options
    const endWatch = watchOutages(this.#unanswered, options.outage, (exchange, outage) =>
      this.#away(exchange, outage),
    )
    options.closing.addEventListener('abort', () => {
      endWatch()
      for (const { ending } of this.#unanswered) ending.end(doorCloses)
    })
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const exchange: Exchange = {
      request,
      response,
      startedMs: performance.now(),
      ending: new Ending(),
      asked: undefined,
      isAnswered: false,
    }
    const { ending } = exchange
    this.#unanswered.add(exchange)
    // A caller that gives up is not handed a message.
    response.on('close', () => {
      this.#unanswered.delete(exchange)
      if (!response.writableFinished) ending.end(callerGone)
    })
    this.#run(exchange).then(
      (output) => this.#answered(exchange, output),
      (error: unknown) => this.#failed(exchange, error),
    )
  }

  /** Does what is asked. Returns the action's promise without awaiting it: thousands of receives may be waiting. */
  async #run(exchange: Exchange): Promise<Output> {
    const { identify, inFlight } = this.#o
    const { request, ending } = exchange
    inFlight.enter(request.socket, request)
    const body = await readBody(request, inFlight)
    const caller = identify(request, body)
    const { action: name, input, queuePath } = (exchange.asked = readRequest(request, body))
    const action = actions[name]!
    const call = new Call(this.#o, request, queuePath, caller, ending)
    await call.may(name, { role: action.role, on: subjectOf(action, call, input) })
    return action.run(call, input)
  }

  /** A question has no answer, and what else was asked for may still be done; a receive ends. */
  #away(exchange: Exchange, outage: KirokuError): void {
    const { asked, ending } = exchange
    // Its body is still on its way.
    if (asked === undefined) return
    const isQuestion = actions[asked.action]!.role === 'viewer'
    this.#failed(exchange, isQuestion ? outage : mayBeDone(outage))
    ending.end(outage)
  }

  #answered(exchange: Exchange, output: Output): void {
    if (exchange.isAnswered) return
    let written: Written
    try {
      written = writeAnswer(exchange.asked!, randomUUID(), output)
    } catch (error) {
      return this.#failed(exchange, error)
    }
    this.#write(exchange, written, 'ok')
  }

  #failed(exchange: Exchange, error: unknown): void {
    const { request, ending, asked } = exchange
    if (exchange.isAnswered) return
    // A receive that the door ends by closing has nothing.
    if (asked !== undefined && error === ending.reason)
      return this.#write(exchange, writeAnswer(asked, randomUUID(), {}), 'ok')
    const known = asSqsError(error)
    if (error === callerGone) ending.end(callerGone)
    if (known === undefined && ending.reason === undefined)
      this.#o.onDefect(error, `${request.method} ${request.url?.split('?')[0]}`)
    const told =
      known ?? new SqsError('InternalFailure', 'This is a defect in Kiroku; its log says what failed.')
    this.#write(exchange, writeError(asked?.protocol ?? protocolOf(request), randomUUID(), told), told.code)
  }

  #write(exchange: Exchange, written: Written, code: string): void {
    const { request, response, startedMs, ending, asked } = exchange
    exchange.isAnswered = true
    const { inFlight, requests } = this.#o
    inFlight.leave(request)
    const outcome = ending.reason === callerGone ? 'gone' : code
    requests.record('sqs', asked?.action ?? 'unknown', outcome, (performance.now() - startedMs) / 1_000)
    if (response.destroyed) return
    // What follows of a body that was refused is not read.
    if (!request.complete) response.setHeader('connection', 'close')
    response.writeHead(written.status, written.headers).end(written.body, written.encoding)
  }
}
