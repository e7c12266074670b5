import {
  encodeEnvelope,
  encodeMeta,
  type EnvelopeMeta,
  KirokuError,
  limits as partitionLimits,
  TextScratch,
} from '@kiroku/protocol'
import type { EnvelopeMemory } from './EnvelopeMemory.ts'
import type { Marks } from './Marks.ts'
import type { BatchOptions, SendOptions } from './SendOptions.ts'

const encoder = new TextEncoder()
/** For bodies that an envelope takes a copy of at once. */
const bodyText = new TextScratch()

const textType = 'text/plain'
const jsonType = 'application/json'
/** What most messages carry besides their bodies. */
const typeMetas = new Map(
  [textType, jsonType].map((contentType) => [contentType, encodeMeta({ contentType })]),
)

/**
 * Body and attributes, as the partition stores them. `own` wins over `shared`. Errors: `BodyTooLarge`,
 * `InvalidArgument` (a body that JSON cannot hold).
 * @param memory where it is to lie; undefined: in memory of its own
 */
export const encodeMessage = (
  memory: EnvelopeMemory | undefined,
  body: unknown,
  marks: Marks | undefined,
  own: SendOptions,
  shared?: BatchOptions,
): Uint8Array => {
  const attributes = own.attributes ?? shared?.attributes
  const contentType = own.contentType ?? shared?.contentType ?? contentTypeOf(body)
  const traceparent = own.traceparent ?? shared?.traceparent
  const attributeTypes = own.attributeTypes ?? shared?.attributeTypes
  const traceHeader = own.traceHeader ?? shared?.traceHeader
  const sender = own.sender ?? shared?.sender
  const tag = marks?.tag === '' ? undefined : marks?.tag
  const group = marks?.group === '' ? undefined : marks?.group
  const dedupId = marks?.dedupId === '' ? undefined : marks?.dedupId
  const bytes = bytesOf(body, bodyText)
  const isBare =
    attributes === undefined &&
    attributeTypes === undefined &&
    traceparent === undefined &&
    traceHeader === undefined &&
    sender === undefined &&
    tag === undefined &&
    group === undefined &&
    dedupId === undefined
  const typeMeta = contentType === undefined ? undefined : typeMetas.get(contentType)
  if (isBare && (contentType === undefined || typeMeta !== undefined))
    return encodeEnvelope(bytes, typeMeta, memory)
  const meta: EnvelopeMeta = {
    ...(attributes === undefined ? {} : { attributes: checkAttributes(attributes) }),
    ...(attributeTypes === undefined ? {} : { attributeTypes: checkAttributes(attributeTypes) }),
    ...(traceHeader === undefined ? {} : { traceHeader }),
    ...(sender === undefined ? {} : { sender }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tag === undefined ? {} : { tag }),
    ...(group === undefined ? {} : { group }),
    ...(dedupId === undefined ? {} : { dedupId }),
  }
  const envelope = encodeEnvelope(bytes, meta, memory)
  const metaBytes = envelope.length - bytes.length
  if (metaBytes > partitionLimits.envelopeMetaBytesEver)
    throw new KirokuError(
      'InvalidArgument',
      `The attributes take ${metaBytes} bytes; at most ${partitionLimits.envelopeMetaBytesEver} are possible`,
    )
  return envelope
}

/** A body as bytes. Errors: `BodyTooLarge`, `InvalidArgument` (a body that JSON cannot hold). */
export const encodeBody = (body: unknown): Uint8Array => bytesOf(body, encoder)

const bytesOf = (body: unknown, text: { encode(text: string): Uint8Array }): Uint8Array => {
  const bytes =
    body instanceof Uint8Array ? body : text.encode(typeof body === 'string' ? body : stringify(body))
  if (bytes.length > partitionLimits.bodyBytesMax)
    throw new KirokuError(
      'BodyTooLarge',
      `The body has ${bytes.length} bytes; at most ${partitionLimits.bodyBytesMax} are possible`,
    )
  return bytes
}

const contentTypeOf = (body: unknown): string | undefined =>
  body instanceof Uint8Array ? undefined : typeof body === 'string' ? textType : jsonType

/** A body as JSON text. Errors: `InvalidArgument` (what JSON cannot hold). */
export const stringify = (body: unknown): string => {
  const text = stringifyOrThrow(body)
  // A promise that nobody awaited, a Map, an ArrayBuffer: they would arrive as an empty object.
  if (text === '{}' && !isPlain(body))
    throw new KirokuError(
      'InvalidArgument',
      `The body is ${kindOf(body)}, of which JSON holds nothing${body instanceof Promise ? ': await it first' : ''}`,
    )
  if (text === undefined)
    throw new KirokuError('InvalidArgument', `The body is ${typeof body}, which JSON cannot hold`)
  return text
}

const isPlain = (body: unknown): boolean => Object.prototype.toString.call(body) === '[object Object]'

/** What a value is, with its article: `a Promise`. */
const kindOf = (value: unknown): string => {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
  return `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`
}

const stringifyOrThrow = (body: unknown): string | undefined => {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new KirokuError(
      'InvalidArgument',
      `The body cannot be written as JSON: ${(cause as Error).message}`,
      {
        cause,
      },
    )
  }
}

const checkAttributes = (attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  if (!isPlain(attributes))
    throw new KirokuError(
      'InvalidArgument',
      `Attributes are an object of texts by name, not ${kindOf(attributes)}`,
    )
  for (const [name, value] of Object.entries(attributes))
    if (typeof value !== 'string')
      throw new KirokuError('InvalidArgument', `The attribute "${name}" is not a string`)
  return attributes
}
