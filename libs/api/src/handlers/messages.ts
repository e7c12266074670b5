import type { ReceiveOptions, SettleResult } from '@kiroku/client'
import { roleSuffices, type OperationTimes, requireRole } from '@kiroku/doors'
import { KirokuError, type Actor } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller, CallerRole } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { answerReceived, toOutgoing, withBody, writtenBodies } from './bodies.ts'
import { ask } from './ask.ts'
import { asJson, call } from './call.ts'
import { isOperator } from './isOperator.ts'
import { toDownload, toHiddenBody, toMessageBody, toOpenPart } from './messageBody.ts'

/** A hidden body was revealed. */
interface Reveal {
  readonly messageId: string
  /** Queues that the message went through. */
  readonly queues: readonly string[]
  readonly by: Actor
}

/** Called on every reveal. */
export type OnReveal = (reveal: Reveal) => void

/**
 * Sending, receiving, settling, tracing. Waiting receives end without a message when `closing` is aborted.
 */
export const messageHandlers = (
  { client, record, body }: ApiDependencies,
  times: OperationTimes,
  closing: AbortSignal,
  onReveal: OnReveal,
) => {
  const settle = (run: () => Promise<readonly SettleResult[]>) =>
    call(async () => results(await times.measure('settle', run)))
  return HttpApiBuilder.group(Api, 'messages', (handlers) =>
    handlers.handleAll({
      send: Effect.fnUntraced(function* ({ params, payload }) {
        const exact = yield* writtenBodies
        return yield* call(() =>
          times.measure('send', async () => {
            const { body, ...options } = toOutgoing(withBody(payload, exact), 'the message')
            return client.send(params.queue, body, options)
          }),
        )
      }),
      sendBatch: Effect.fnUntraced(function* ({ params, payload }) {
        const exact = yield* writtenBodies
        return yield* call(() =>
          times.measure('send', async () =>
            client.sendBatch(
              params.queue,
              payload.messages.map((message, i) =>
                toOutgoing(withBody(message, exact?.messages?.[i]), `messages[${i}]`),
              ),
              payload.delayMs === undefined ? {} : { delayMs: payload.delayMs },
            ),
          ),
        )
      }),
      receive: ({ params, payload }) =>
        call((signal) =>
          times.measure('receive', async () => {
            const options: ReceiveOptions = { ...payload, signal: AbortSignal.any([signal, closing]) }
            const messages = await client.receive(params.queue, options).catch((error: unknown) => {
              if (closing.aborted) return []
              throw error
            })
            return answerReceived(messages)
          }),
        ),
      ack: ({ payload }) => settle(() => client.ack(payload.receipts)),
      retry: ({ payload: { receipts, ...options } }) => settle(() => client.retry(receipts, options)),
      extend: ({ payload }) => settle(() => client.extend(payload.receipts, payload.leaseMs)),
      release: ({ payload: { receipts, ...options } }) => settle(() => client.release(receipts, options)),
      deadLetter: ({ payload }) => settle(() => client.deadLetter(payload.receipts, payload.error)),
      recall: Effect.fnUntraced(function* ({ params }) {
        const by = yield* Caller
        yield* call(() => client.recall(params.id, by))
      }),
      reschedule: Effect.fnUntraced(function* ({ params, payload }) {
        const by = yield* Caller
        yield* call(() => client.reschedule(params.id, payload, by))
      }),
      trace: Effect.fnUntraced(function* ({ params: { id } }) {
        const asOperator = yield* isOperator
        return yield* ask({ record }, async (answers) =>
          asJson(await answers.trace({ messageId: id, asOperator })),
        )
      }),
      body: Effect.fnUntraced(function* ({ params: { id }, query: { full, reveal } }) {
        const by = yield* Caller
        const role = yield* CallerRole
        return yield* ask({ record }, async (answers) => {
          const traced = await answers.trace({ messageId: id })
          const found = await body(traced)
          const { queues, hidden } = traced
          if (hidden !== undefined) {
            if (reveal === undefined && full === undefined)
              return roleSuffices(role, 'operator') ? toHiddenBody(found) : toOpenPart(found, hidden)
            if (reveal === undefined)
              throw new KirokuError('Forbidden', `the body of message ${id} is hidden: ask with reveal=1`)
            requireRole(by.name, role, 'operator')
            onReveal({ messageId: id, queues, by })
          }
          return full === undefined ? toMessageBody(found) : toDownload(id, found)
        })
      }),
    }),
  )
}

const results = (settled: readonly SettleResult[]) => ({
  results: settled.map(({ receipt, error }) =>
    error === undefined
      ? { receipt }
      : { receipt, error: { id: error.id, message: error.message, help: error.help } },
  ),
})
