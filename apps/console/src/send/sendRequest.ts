import { checkJson, contentTypeOf, durationForm, jsonSlip, limits, parseDurationMs } from '@kiroku/protocol'
import { base64OfText } from '../data/MessageBody.ts'
import { count } from '../parts/format.ts'

/** A message as it is written in a form. */
export interface SendForm {
  readonly queue: string
  readonly body: string
  /** Bytes instead of a text, in base64: they are sent unchanged. */
  readonly bytes?: string
  /** Empty: what the body looks like. */
  readonly contentType: string
  /** As the command line has it: `30s`. */
  readonly delay: string
  readonly group: string
  readonly tag: string
  readonly dedupId: string
  /** One per line: `name=value`. */
  readonly attributes: string
  /** How many copies to send. */
  readonly copies: string
}

/** What is known of a message before anything is written. */
export type SendDraft = Partial<SendForm>

/** An empty form. */
export const blankForm: SendForm = {
  ...{ queue: '', body: '', contentType: '', delay: '', group: '', tag: '', dedupId: '', attributes: '' },
  copies: '1',
}

/** What is sent, where to, and its content type; or what is missing or wrong. */
export interface SendRequest {
  readonly path: string
  readonly body: unknown
  readonly contentType: string
  readonly copies: number
  readonly problem?: string
}

const encoder = new TextEncoder()

/**
 * The request of a form. A body that begins like JSON but is not is refused, unless its type says that it is
 * text.
 */
export const sendRequest = (form: SendForm): SendRequest => {
  const { queue, body, bytes } = form
  const contentType = form.contentType.trim() || typeOf(form)
  const delayMs = form.delay.trim() === '' ? undefined : delayOf(form.delay)
  const copies = /^\d{1,6}$/.test(form.copies.trim()) ? Number(form.copies) : Number.NaN
  const attributes = attributesOf(form.attributes)
  const message = {
    bodyBase64: bytes ?? base64OfText(body),
    contentType,
    ...(delayMs === undefined ? {} : { delayMs }),
    ...given({ group: form.group, tag: form.tag, dedupId: form.dedupId }),
    ...(Object.keys(attributes ?? {}).length === 0 ? {} : { attributes }),
  }
  const path = `/v1/queues/${encodeURIComponent(queue)}/messages`
  const problem =
    queue === ''
      ? 'Pick a queue.'
      : (bodyProblem(form, contentType) ??
        (form.delay.trim() !== '' && delayMs === undefined
          ? `Delay: write ${durationForm}.`
          : attributes === undefined
            ? 'Attributes: one NAME=VALUE per line.'
            : !(copies >= 1 && copies <= limits.messagesPerSendMax)
              ? `Copies: a whole number from 1 to ${count(limits.messagesPerSendMax)}.`
              : copies > 1 && form.dedupId !== ''
                ? 'A deduplication id names one message, not several copies.'
                : undefined))
  return {
    ...(copies > 1
      ? { path: `${path}/batch`, body: { messages: Array.from({ length: copies }, () => message) } }
      : { path, body: message }),
    contentType,
    copies,
    ...(problem === undefined ? {} : { problem }),
  }
}

/** Undefined where it cannot be read. */
const delayOf = (text: string): number | undefined => {
  try {
    return parseDurationMs(text, 'Delay')
  } catch {
    return undefined
  }
}

const typeOf = ({ body, bytes }: SendForm): string =>
  bytes === undefined ? contentTypeOf(encoder.encode(body)) : 'application/octet-stream'

const bodyProblem = ({ body, bytes, contentType }: SendForm, type: string): string | undefined => {
  if (bytes !== undefined) return undefined
  const encoded = encoder.encode(body)
  const slip = contentType.trim() === '' ? jsonSlip(encoded) : undefined
  if (slip !== undefined)
    return `The body begins like JSON but is not: ${slip}. Fix it, or set the content type to text/plain.`
  try {
    checkJson(encoded, type)
    return undefined
  } catch (error) {
    return `${(error as Error).message}.`
  }
}

const given = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))

/** Undefined if a line is malformed. */
const attributesOf = (text: string): Record<string, string> | undefined => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.every((line) => line.indexOf('=') > 0)
    ? Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1)]),
      )
    : undefined
}
