import { deserialize, serialize } from 'node:v8'
import type { ConsumedMessage } from '@kiroku/client'
import { KirokuError } from '@kiroku/protocol'

/** How a Worker's producer writes a body. */
export type ContentType = 'json' | 'text' | 'bytes' | 'v8'

const mediaTypes: Readonly<Record<ContentType, string>> = {
  json: 'application/json',
  text: 'text/plain',
  bytes: 'application/octet-stream',
  v8: 'application/x-v8',
}

/** A body as the client sends it. Errors: `InvalidArgument`. */
export const encodeBody = (
  body: unknown,
  contentType: ContentType = 'json',
): { readonly body: Uint8Array | string; readonly contentType: string } => {
  if (!Object.hasOwn(mediaTypes, contentType))
    throw new KirokuError('InvalidArgument', `"${String(contentType)}" is not json, text, bytes or v8`)
  return { body: encoders[contentType](body), contentType: mediaTypes[contentType] }
}

const encoders: Readonly<Record<ContentType, (body: unknown) => Uint8Array | string>> = {
  json: (body) => {
    const text = JSON.stringify(body) as string | undefined
    if (text === undefined) throw new KirokuError('InvalidArgument', `JSON cannot hold a ${typeof body}`)
    return text
  },
  text: (body) => {
    if (typeof body !== 'string')
      throw new KirokuError(
        'InvalidArgument',
        `A body of content type text is a string, not a ${typeof body}`,
      )
    return body
  },
  bytes: (body) => {
    if (body instanceof ArrayBuffer) return new Uint8Array(body)
    if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    throw new KirokuError(
      'InvalidArgument',
      'A body of content type bytes is an ArrayBuffer or a view of one',
    )
  },
  v8: (body) => serialize(body),
}

/**
 * A body as a Worker sees it: a value for JSON and v8, a string for text, a `Uint8Array` for bytes. A body
 * without a content type is JSON, or bytes when it is not.
 * Errors: `MalformedJson`.
 */
export const decodeBody = (message: ConsumedMessage): unknown => {
  const type = (message.contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type === '') return decodeUnnamed(message)
  if (type === 'json' || type === mediaTypes.json || type.endsWith('+json')) return message.json()
  if (type === 'text' || type.startsWith('text/')) return message.text()
  if (type === 'v8' || type === mediaTypes.v8) return deserialize(message.body) as unknown
  return message.body
}

const decodeUnnamed = (message: ConsumedMessage): unknown => {
  try {
    return message.json()
  } catch {
    return message.body
  }
}
