import type { ReceiveOptions, SettleResult } from '@kiroku/client'
import type { OperationTimes } from '@kiroku/doors'
import { KirokuError, parseReceipt, type Actor } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller, CallerGranted } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { QueueNames } from '../granted/QueueNames.ts'
import { requireRevision } from '../granted/requireRevision.ts'
import { settleGranted, type Settlement } from '../granted/settleGranted.ts'
import { seenTrace } from '../granted/seenTrace.ts'
import { bodyWithoutOthers, lineageWithoutOthers } from '../granted/lineageWithoutOthers.ts'
import { answerReceived, toOutgoing, withBody, writtenBodies } from './bodies.ts'
import { ask } from './ask.ts'
import { asJson, call } from './call.ts'
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
  { about, client, record, body }: ApiDependencies,
  times: OperationTimes,
  closing: AbortSignal,
  onReveal: OnReveal,
) => {
  const names = new QueueNames(client)
  const settle = Effect.fnUntraced(function* (
    verdict: Settlement,
    receipts: readonly string[],
    run: (receipts: readonly string[]) => Promise<readonly SettleResult[]>,
  ) {
    const granted = yield* CallerGranted
    return yield* call(async () =>
      results(await times.measure('settle', () => settleGranted({ granted, names, verdict }, receipts, run))),
    )
  })
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
      receive: Effect.fnUntraced(function* ({ params, payload }) {
        const { isRestricted, sees } = yield* CallerGranted
        return yield* call((signal) =>
          times.measure('receive', async () => {
            const options: ReceiveOptions = { ...payload, signal: AbortSignal.any([signal, closing]) }
            const messages = await client.receive(params.queue, options).catch((error: unknown) => {
              if (closing.aborted) return []
              throw error
            })
            if (!isRestricted) return answerReceived(messages)
            const [first] = messages
            if (first !== undefined) names.learn(parseReceipt(first.receipt), params.queue)
            return answerReceived(messages, (lineage) => lineageWithoutOthers(lineage, sees))
          }),
        )
      }),
      ack: ({ payload: { receipts } }) => settle('Ack', receipts, (own) => client.ack(own)),
      retry: ({ payload: { receipts, ...options } }) =>
        settle('Retry', receipts, (own) => client.retry(own, options)),
      extend: ({ payload: { receipts, leaseMs } }) =>
        settle('Extend', receipts, (own) => client.extend(own, leaseMs)),
      release: ({ payload: { receipts, ...options } }) =>
        settle('Release', receipts, (own) => client.release(own, options)),
      deadLetter: ({ payload: { receipts, error } }) =>
        settle('DeadLetter', receipts, (own) => client.deadLetter(own, error)),
      recall: Effect.fnUntraced(function* ({ params }) {
        const by = yield* Caller
        const granted = yield* CallerGranted
        yield* call(async () => {
          await requireRevision(granted, names, { id: params.id, incarnation: about.incarnation })
          return client.recall(params.id, by)
        })
      }),
      reschedule: Effect.fnUntraced(function* ({ params, payload }) {
        const by = yield* Caller
        const granted = yield* CallerGranted
        yield* call(async () => {
          await requireRevision(granted, names, { id: params.id, incarnation: about.incarnation })
          return client.reschedule(params.id, payload, by)
        })
      }),
      trace: Effect.fnUntraced(function* ({ params: { id } }) {
        const granted = yield* CallerGranted
        return yield* ask({ record }, async (answers) => asJson(await seenTrace(answers, granted, id)))
      }),
      body: Effect.fnUntraced(function* ({ params: { id }, query: { full, reveal } }) {
        const by = yield* Caller
        const granted = yield* CallerGranted
        return yield* ask({ record }, async (answers) => {
          const traced = await seenTrace(answers, granted, id)
          const found = bodyWithoutOthers(await body(traced), granted)
          const { queues, hidden } = traced
          if (hidden !== undefined) {
            // Whoever handles messages where it is may receive it.
            const queue = traced.steps.at(-1)?.queue ?? ''
            if (reveal === undefined && full === undefined)
              return granted.handles(queue) ? toHiddenBody(found) : toOpenPart(found, hidden)
            if (reveal === undefined)
              throw new KirokuError('Forbidden', `the body of message ${id} is hidden: ask with reveal=1`)
            granted.require('operator', queue)
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
