import type { Body, OutgoingMessage, ReceivedMessage } from '@kiroku/client'
import { mayRound, parseExact, tellBody } from '@kiroku/doors'
import { KirokuError, type Lineage } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import type * as Schema from 'effect/Schema'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import type * as definition from '../definition/schemas.ts'
import { toJson } from './call.ts'

type OutgoingJson = Schema.Schema.Type<typeof definition.OutgoingMessage>
type ReceivedJson = Schema.Schema.Type<typeof definition.ReceivedMessage>

/** A message of the API in the client's form. `what` names it in errors. Errors: `InvalidArgument`. */
export const toOutgoing = (message: OutgoingJson, what: string): OutgoingMessage => {
  const { body, bodyBase64, ...options } = message
  if ((body === undefined) === (bodyBase64 === undefined))
    throw new KirokuError('InvalidArgument', `${what} needs either "body" or "bodyBase64"`)
  return { ...options, body: bodyBase64 === undefined ? (body as Body) : fromBase64(bodyBase64, what) }
}

/** The bodies of a request as written, if parsing may have changed numbers in them. */
export const writtenBodies = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const text = yield* Effect.orDie(request.text)
  return mayRound(text) ? (parseExact(text) as WrittenBodies) : undefined
})

interface WrittenBodies {
  readonly body?: Schema.Json
  readonly messages?: readonly { readonly body?: Schema.Json }[]
}

/** A message with its body as written. */
export const withBody = <M extends { readonly body?: Schema.Json }>(
  message: M,
  exact: { readonly body?: Schema.Json } | undefined,
): M => (exact?.body === undefined ? message : { ...message, body: exact.body })

/**
 * Delivered messages as the answer to a receive; serialized here, so that numbers in bodies stay unchanged.
 *
 * @param shown what the caller may know of where a message came from; default: all
 */
export const answerReceived = (
  messages: readonly ReceivedMessage[],
  shown: (lineage: Lineage) => unknown = (lineage) => lineage,
) =>
  HttpServerResponse.text(JSON.stringify({ messages: messages.map((each) => toReceived(each, shown)) }), {
    contentType: 'application/json',
  })

/** A delivered message as the API answers it: JSON and text unchanged, other bytes in base64. */
const toReceived = (message: ReceivedMessage, shown: (lineage: Lineage) => unknown): ReceivedJson => {
  const {
    id,
    receipt,
    attempt,
    enqueuedAt,
    leaseUntil,
    attributes,
    attributeTypes,
    tag,
    group,
    dedupId,
    contentType,
    traceparent,
    lineage,
  } = message
  return {
    id,
    receipt,
    attempt,
    enqueuedAt,
    leaseUntil,
    attributes,
    ...(Object.keys(attributeTypes).length === 0 ? {} : { attributeTypes }),
    ...readable(message),
    ...(tag === undefined ? {} : { tag }),
    ...(group === undefined ? {} : { group }),
    ...(dedupId === undefined ? {} : { dedupId }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(lineage === undefined ? {} : { lineage: toJson(shown(lineage)) }),
  }
}

const readable = (message: ReceivedMessage): Pick<ReceivedJson, 'body' | 'bodyBase64'> => {
  const told = tellBody('http', message)
  if ('base64' in told) return { bodyBase64: told.base64 }
  return { body: 'value' in told ? (told.value as Schema.Json) : told.text }
}

const fromBase64 = (text: string, what: string): Uint8Array => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0)
    throw new KirokuError('InvalidArgument', `${what}: "bodyBase64" is not base64`)
  return Buffer.from(text, 'base64')
}
