import { KirokuError } from '@kiroku/message'
import {
  encodeEnvelope,
  isTag,
  limits as partitionLimits,
  tagRule,
  type EnvelopeMeta,
} from '@kiroku/partition'
import type { Body, SendOptions } from './Client.ts'

const encoder = new TextEncoder()

/**
 * Body and what travels beside it, as the partition stores it. What `own` sets beats `shared`.
 * Errors: `BodyTooLarge`, `InvalidArgument` (a body that JSON cannot say, a tag that is none).
 */
export const encodeMessage = (body: Body, own: SendOptions, shared?: SendOptions): Uint8Array => {
  const attributes = own.attributes ?? shared?.attributes
  const contentType = own.contentType ?? shared?.contentType ?? contentTypeOf(body)
  const traceparent = own.traceparent ?? shared?.traceparent
  const tag = tagOf(own, shared)
  const bytes =
    body instanceof Uint8Array ? body : encoder.encode(typeof body === 'string' ? body : stringify(body))
  if (bytes.length > partitionLimits.bodyBytesMax)
    throw new KirokuError(
      'BodyTooLarge',
      `The body has ${bytes.length} bytes; at most ${partitionLimits.bodyBytesMax} are possible`,
    )
  if (attributes === undefined && contentType === undefined && traceparent === undefined && tag === undefined)
    return encodeEnvelope(bytes)
  const meta: EnvelopeMeta = {
    ...(attributes === undefined ? {} : { attributes: checkAttributes(attributes) }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tag === undefined ? {} : { tag }),
  }
  return encodeEnvelope(bytes, meta)
}

/** The tag that a message is sent with. */
export const tagOf = (own: SendOptions, shared?: SendOptions): string | undefined => {
  const tag = own.tag ?? shared?.tag
  if (tag === undefined || tag === '') return undefined
  if (!isTag(tag)) throw new KirokuError('InvalidArgument', tagRule)
  return tag
}

const contentTypeOf = (body: Body): string | undefined =>
  body instanceof Uint8Array ? undefined : typeof body === 'string' ? 'text/plain' : 'application/json'

const stringify = (body: Body): string => {
  const text = stringifyOrThrow(body)
  if (text === undefined)
    throw new KirokuError('InvalidArgument', `The body is ${typeof body}, which JSON cannot say`)
  return text
}

const stringifyOrThrow = (body: Body): string | undefined => {
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
  let bytes = 0
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value !== 'string')
      throw new KirokuError('InvalidArgument', `The attribute "${name}" is not a string`)
    bytes += name.length + value.length
  }
  if (bytes > partitionLimits.envelopeMetaBytesMax / 2)
    throw new KirokuError(
      'InvalidArgument',
      `Attributes may have ${partitionLimits.envelopeMetaBytesMax / 2} characters, these have ${bytes}`,
    )
  return attributes
}
