import { mayRound, parseExact } from './exactJson.ts'
import { isTooMuchJson } from './measureJson.ts'
import { isXmlText } from './xmlText.ts'

/** How a door tells a body: as text, as the JSON value that it is, or in base64. */
type Telling = 'text' | 'value' | 'base64'

/** Doors that cannot hand over every byte; the command line tells bodies as the HTTP API does. */
type TellingDoor = 'http' | 'sqs'

/** What somebody sent, and how it looks to those who receive it through another door. */
interface BodyRow extends Readonly<Record<TellingDoor, Telling>> {
  readonly what: string
  readonly client: string
  readonly worker: string
}

/** Bodies between doors: doors tell them by this table, and its page is made from it. */
export const bodyRows = {
  text: { what: 'text', client: '`text()`', worker: 'a string', http: 'text', sqs: 'text' },
  json: { what: 'JSON', client: '`json()`', worker: 'the value', http: 'value', sqs: 'text' },
  untyped: {
    what: 'bytes without a content type that are text',
    client: '`body`, `text()`',
    worker: 'the value if they are JSON, else a `Uint8Array`',
    http: 'text',
    sqs: 'text',
  },
  controls: {
    what: 'text with characters that XML cannot hold, like U+0000',
    client: '`text()`',
    worker: 'a string',
    http: 'text',
    sqs: 'base64',
  },
  bytes: {
    what: 'other bytes, also text that is no UTF-8',
    client: '`body`',
    worker: 'a `Uint8Array`',
    http: 'base64',
    sqs: 'base64',
  },
  v8: {
    what: '`v8` of a Worker',
    client: '`body`, as `serialize` of `node:v8` wrote it',
    worker: 'the value',
    http: 'base64',
    sqs: 'base64',
  },
  empty: { what: 'nothing', client: '`body`, of 0 bytes', worker: 'nothing', http: 'text', sqs: 'base64' },
} as const satisfies Readonly<Record<string, BodyRow>>

/** What an attribute is, and how it looks to those who receive it through another door. */
interface AttributeRow {
  readonly what: string
  readonly others: string
  readonly sqs: string
}

/** Attributes between doors. */
export const attributeRows = {
  text: { what: 'a text', others: '`attributes`', sqs: '`String`' },
  typed: {
    what: '`Number` of SQS, or `String` and `Number` with a label',
    others: '`attributes`, its type in `attributeTypes`',
    sqs: 'as it was sent',
  },
  binary: {
    what: '`Binary` of SQS, with or without a label',
    others: '`attributes`, in base64, its type in `attributeTypes`',
    sqs: 'as it was sent',
  },
  controls: {
    what: 'a text with characters that XML cannot hold',
    others: '`attributes`',
    sqs: '`Binary.text`, the text in UTF-8',
  },
  names: {
    what: 'a name with such characters',
    others: 'as it was sent',
    sqs: 'U+FFFD in their place; `.2` and so on behind a name that another attribute has',
  },
} as const satisfies Readonly<Record<string, AttributeRow>>

interface BodyOfMessage {
  readonly body: Uint8Array
  readonly contentType?: string | undefined
}

/** A body as a door tells it. */
export type Told =
  | { readonly text: string }
  | { readonly value: unknown }
  /** The bytes, in base64. */
  | { readonly base64: string }

/** A body as a door tells it, by the table. Nothing that a producer may send makes it fail. */
export const tellBody = (door: TellingDoor, { body, contentType = '' }: BodyOfMessage): Told => {
  const text = textOf(body)
  const telling = bodyRows[rowOf(door, text, contentType)][door]
  if (text === undefined || telling === 'base64') return { base64: Buffer.from(body).toString('base64') }
  return (telling === 'value' ? valueOf(text) : undefined) ?? { text }
}

const rowOf = (door: TellingDoor, text: string | undefined, contentType: string): keyof typeof bodyRows => {
  if (text === undefined) return 'bytes'
  if (text === '') return 'empty'
  if (door === 'sqs' && !isXmlText(text)) return 'controls'
  return /^application\/(.+\+)?json\b/.test(contentType) ? 'json' : 'text'
}

/** undefined: it is no JSON, whatever its type says, or takes too much to parse. */
const valueOf = (text: string): Told | undefined => {
  if (isTooMuchJson(text)) return undefined
  try {
    return { value: mayRound(text) ? parseExact(text) : JSON.parse(text) }
  } catch {
    return undefined
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const textOf = (body: Uint8Array): string | undefined => {
  try {
    return strictUtf8.decode(body)
  } catch {
    return undefined
  }
}
