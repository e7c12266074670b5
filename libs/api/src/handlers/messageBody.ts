import { type Hidden, payloadIn, type MessageBody as FoundBody, withoutText } from '@kiroku/audit'
import { KirokuError } from '@kiroku/protocol'
import type * as Schema from 'effect/Schema'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import type { MessageBody } from '../definition/bodySchemas.ts'
import { toJson } from './call.ts'

type MessageBodyJson = Schema.Schema.Type<typeof MessageBody>

/** Most bytes of a body that are shown; the download has all of it. */
const shownBytesMax = 256 * 1024

/** A message's content as the API returns it. A sender may put anything into an envelope. */
export const toMessageBody = ({ meta, body, enqueuedAt, unreadable }: FoundBody): MessageBodyJson => {
  const { attributes, lineage } = meta
  const texts: { [Name in (typeof textNames)[number]]?: string } = {}
  for (const name of textNames) if (typeof meta[name] === 'string') texts[name] = meta[name]
  const { contentType } = texts
  return {
    payload: payloadIn({ body, ...(contentType === undefined ? {} : { contentType }) }, shownBytesMax),
    attributes: Object.fromEntries(
      Object.entries(attributes ?? {}).map(([name, value]) => [name, String(value)]),
    ),
    ...texts,
    ...(enqueuedAt === undefined ? {} : { enqueuedAt }),
    ...(lineage === undefined ? {} : { lineage: toJson(lineage) }),
    ...(unreadable === undefined ? {} : { unreadable }),
  }
}

const textNames = ['tag', 'group', 'dedupId', 'contentType', 'traceparent'] as const

/** The same without the text of the body, for those who handle messages. */
export const toHiddenBody = (found: FoundBody): MessageBodyJson => {
  const { payload, ...rest } = toMessageBody(found)
  return { ...rest, payload: withoutText(payload), hidden: true }
}

/** What is left of it for those who only look: nothing that its producer wrote, but for what it is routed by. */
export const toOpenPart = (found: FoundBody, hidden: Hidden): MessageBodyJson => {
  const { attributes: _, dedupId: __, traceparent: ___, lineage, ...meta } = found.meta
  const shown = hidden === 'all' && typeof lineage === 'object' ? { ...lineage, error: '' } : lineage
  return toHiddenBody({ ...found, meta: shown === undefined ? meta : { ...meta, lineage: shown } })
}

/**
 * The body alone, as a download: no browser displays it, whatever its declared type. Errors:
 * `UnknownMessage`, if there is none.
 */
export const toDownload = (messageId: string, { body, unreadable }: FoundBody) => {
  if (unreadable !== undefined)
    throw new KirokuError(
      'UnknownMessage',
      `the body of message ${messageId} cannot be read: it is ${unreadable}`,
    )
  return HttpServerResponse.uint8Array(body, {
    contentType: 'application/octet-stream',
    headers: { 'content-disposition': `attachment; filename="${messageId.replace(/[^\w-]/g, '')}"` },
  })
}
