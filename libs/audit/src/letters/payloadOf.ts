import type { Payload } from './DeadLetter.ts'

/** How much of each body lists show. */
const shownBytesMax = 2_048

interface BodyOfMessage {
  readonly body: Uint8Array
  readonly contentType?: string
}

/** The beginning of a body, as a copy: a view would keep its whole record in memory. */
export interface BodyHead {
  readonly head: Uint8Array
  readonly bytes: number
  readonly contentType: string | undefined
}

/** The beginning of a message's body in readable form, up to a number of bytes. */
export const payloadIn = (message: BodyOfMessage, bytesMax = shownBytesMax): Payload =>
  payloadOf(headOf(message, bytesMax))

/** The part of a message's body that is shown. */
export const headOf = ({ body, contentType }: BodyOfMessage, bytesMax = shownBytesMax): BodyHead => ({
  head: body.slice(0, bytesMax),
  bytes: body.length,
  contentType,
})

/** The beginning of a body in readable form. */
export const payloadOf = ({ head, bytes, contentType }: BodyHead): Payload => {
  const isCut = bytes > head.length
  const text = textOf(head, isCut)
  return {
    ...(contentType === undefined ? {} : { contentType }),
    bytes,
    text: text ?? base64Of(head),
    isBase64: text === undefined,
    isCut,
  }
}

/** Undefined when it is not text; the cut may fall within a character. */
const textOf = (bytes: Uint8Array, isCut: boolean): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}

const base64Of = (bytes: Uint8Array): string => {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** A payload that shows only type and size. */
export const withoutText = ({ contentType, bytes }: Payload): Payload => ({
  ...(contentType === undefined ? {} : { contentType }),
  bytes,
  text: '',
  isBase64: false,
  isCut: bytes > 0,
})
