import type { MessageBody } from '@kiroku/api/answers'
import type { SendDraft } from '../../send/sendRequest.ts'

const gone: Readonly<Record<NonNullable<MessageBody['unreadable']>, string>> = {
  erased: 'its body was erased',
  lost: 'the key of its body is lost',
  trimmed: 'its body is older than the record',
}

/** A copy of this message to send, or why there can be none. Dedup ids are left out. */
export const sendAgain = (
  queue: string,
  body: MessageBody | undefined,
): { readonly draft: SendDraft; readonly reason: string | undefined } => {
  if (body === undefined) return { draft: {}, reason: 'reading its body' }
  const { payload, attributes, group = '', tag = '', unreadable, hidden } = body
  return {
    draft: {
      queue,
      ...(payload.isBase64 ? { bytes: payload.text } : { body: payload.text }),
      contentType: payload.contentType ?? '',
      group,
      tag,
      attributes: Object.entries(attributes)
        .map(([name, value]) => `${name}=${value}`)
        .join('\n'),
    },
    reason:
      unreadable !== undefined
        ? gone[unreadable]
        : hidden === true
          ? 'its body is hidden: reveal it first'
          : payload.isCut
            ? 'its body is larger than what is shown here'
            : undefined,
  }
}
