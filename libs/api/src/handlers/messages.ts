import type { ReceiveOptions, SettleResult } from '@kiroku/client'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiSources } from '../ApiSources.ts'
import { Api } from '../definition/Api.ts'
import { toOutgoing, toReceived } from './bodies.ts'
import { asJson, call } from './call.ts'

/** Sending, receiving, settling, tracing. */
export const messageHandlers = ({ client, trace }: ApiSources) =>
  HttpApiBuilder.group(Api, 'messages', (handlers) =>
    handlers.handleAll({
      send: ({ params, payload }) =>
        call(async () => {
          const { body, ...options } = toOutgoing(payload, 'the message')
          return client.send(params.queue, body, options)
        }),
      sendBatch: ({ params, payload }) =>
        call(() =>
          client.sendBatch(
            params.queue,
            payload.messages.map((message, i) => toOutgoing(message, `messages[${i}]`)),
            payload.delayMs === undefined ? {} : { delayMs: payload.delayMs },
          ),
        ),
      receive: ({ params, payload }) =>
        call(async (signal) => {
          const options: ReceiveOptions = { ...payload, signal }
          const messages = await client.receive(params.queue, options)
          return { messages: messages.map(toReceived) }
        }),
      ack: ({ payload }) => call(async () => results(await client.ack(payload.receipts))),
      retry: ({ payload: { receipts, ...options } }) =>
        call(async () => results(await client.retry(receipts, options))),
      extend: ({ payload }) =>
        call(async () => results(await client.extend(payload.receipts, payload.leaseMs))),
      release: ({ payload }) => call(async () => results(await client.release(payload.receipts))),
      deadLetter: ({ payload }) =>
        call(async () => results(await client.deadLetter(payload.receipts, payload.error))),
      trace: ({ params }) => call(async () => asJson(await trace(params.id))),
    }),
  )

const results = (settled: readonly SettleResult[]) => ({
  results: settled.map(({ receipt, error }) =>
    error === undefined
      ? { receipt }
      : { receipt, error: { id: error.id, message: error.message, help: error.help } },
  ),
})
