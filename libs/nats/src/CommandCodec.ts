import {
  type Command,
  type Delivery,
  errorFromWire,
  isCommand,
  KirokuError,
  notCommand,
  type Reply,
  type WireError,
  withCleanActor,
} from '@kiroku/protocol'
import { Packr } from 'msgpackr'
import { besides, joined, piecesOf } from './pieces.ts'

/** Version of the wire format of commands and replies. */
const wireVersion = 1

const packr = new Packr({ useRecords: false, int64AsType: 'number' })

// A pair of version and content: MessagePack puts the version in the second byte, where it can be read
// without decoding.
const pairByte = 0x92

const encode = (content: unknown): Buffer => packr.pack([wireVersion, content])

const decode = (bytes: Uint8Array): unknown => {
  if (bytes.length < 3 || bytes[0] !== pairByte)
    throw new KirokuError('MalformedRequest', 'The message is not one of Kiroku')
  if (bytes[1] !== wireVersion)
    throw new KirokuError(
      'MalformedRequest',
      `The message has version ${bytes[1]}; this side speaks version ${wireVersion}`,
    )
  try {
    return (packr.unpack(bytes) as [number, unknown])[1]
  } catch (cause) {
    throw new KirokuError('MalformedRequest', 'The message cannot be decoded', { cause })
  }
}

/** The commands of one request as bytes. */
export const encodeCommands = (commands: readonly Command[]): Uint8Array => joined(commandPieces(commands))

/** The same in pieces to be written one after another: large bodies are those of the commands, which must not change until then. */
export const commandPieces = (commands: readonly Command[]): readonly Uint8Array[] => {
  const large: Uint8Array[] = []
  const content = commands.map((command) => {
    if (!('messages' in command)) return command
    const messages = besides(command.messages, large)
    return messages === command.messages ? command : { ...command, messages }
  })
  return piecesOf(encode(content), large)
}

/** Reads a request, with actors that are fit for the record. Errors: `MalformedRequest`. */
export const decodeCommands = (bytes: Uint8Array): Command[] => {
  const content = decode(bytes)
  if (!Array.isArray(content) || content.length === 0)
    throw new KirokuError('MalformedRequest', 'The request holds no commands')
  const wrong = content.findIndex((each) => !isCommand(each))
  if (wrong >= 0)
    throw new KirokuError(
      'MalformedRequest',
      `Command ${wrong + 1} of the request is not well-formed: ${notCommand(content[wrong])}`,
    )
  return (content as Command[]).map(withCleanActor)
}

/** A reply as bytes. */
export const encodeReply = (reply: Reply): Uint8Array => joined(replyPieces(reply))

/** The same in pieces to be written one after another: large bodies are those of the reply, which must not change until then. */
export const replyPieces = (reply: Reply): readonly Uint8Array[] => {
  const large: Uint8Array[] = []
  const answers = reply.answers.map((answer) => {
    const ok = 'ok' in answer ? (answer.ok as { readonly delivery?: Delivery }) : undefined
    if (ok?.delivery === undefined) return answer
    const messages = besides(ok.delivery.messages, large)
    return messages === ok.delivery.messages
      ? answer
      : { ...answer, ok: { ...ok, delivery: { ...ok.delivery, messages } } }
  })
  return piecesOf(encode(large.length === 0 ? reply : { ...reply, answers }), large)
}

/** The error of a whole request as bytes, in place of a reply. */
export const encodeError = (error: WireError): Uint8Array =>
  encode({
    error: {
      id: error.id,
      message: error.message,
      ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    },
  })

/** Reads a reply. Throws the error of a whole request; errors of its own: `MalformedRequest`. */
export const decodeReply = (bytes: Uint8Array): Reply => {
  const content = decode(bytes) as Partial<Reply> & { readonly error?: WireError }
  if (typeof content === 'object' && content !== null) {
    if (typeof content.error?.id === 'string') throw errorFromWire(content.error)
    if (typeof content.epoch === 'number' && Array.isArray(content.answers)) return content as Reply
  }
  throw new KirokuError('MalformedRequest', 'The reply is not well-formed')
}
