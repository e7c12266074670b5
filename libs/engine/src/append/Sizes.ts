import { type Command, KirokuError, limits as partitionLimits } from '@kiroku/protocol'
import { limits } from '../limits.ts'

/** The head of a record, and the shapes of the most frequent facts. */
const headBytes = 4 * 1024
/** The most that a redrive records of one message. */
const redrivenBytes = 700
/** Room in a record for what is not the body. */
const marginBytes = 64 * 1024
/** What a dead letter's lineage adds to its envelope at most. */
export const lineageBytesMax = 16 * 1024

/** How large frames and bodies may be, given the largest record that the log takes. One per actor; ownerships refit it. */
export class Sizes {
  /** Bytes that the facts and bodies of one turn may take. */
  turnBytesMax!: number
  /** Bytes gathered for one frame; one command more may follow. */
  frameBytesMax!: number
  /** Bytes of dead letters in one request, which another node must be able to receive. */
  forwardBytesMax!: number
  /** Messages that a redrive moves in one turn. */
  redriveMessagesMax!: number
  /** Bytes of facts that restore the past in one turn, about. */
  restoredBytesMax!: number
  /** Bytes of old bodies that are stored again in one turn, about. */
  carryBytesMax!: number
  #commandBytesMax!: number
  #inlineBytesMax!: number
  #bodyBytesMax!: number

  /** @param recordBytesMax the largest record that the log takes, in bytes */
  constructor(recordBytesMax: number) {
    this.fit(recordBytesMax)
  }

  /** What the log takes may have changed. */
  fit(recordBytesMax: number): void {
    const frameBytesMax = Math.min(limits.frameBytesMax, Math.floor(recordBytesMax / 4))
    const turnBytesMax = recordBytesMax - headBytes
    this.turnBytesMax = turnBytesMax
    this.frameBytesMax = frameBytesMax
    this.redriveMessagesMax = Math.min(limits.redriveMessages, Math.floor(turnBytesMax / 2 / redrivenBytes))
    this.restoredBytesMax = Math.floor(turnBytesMax / 4)
    this.carryBytesMax = Math.min(limits.carryWindowBytes, frameBytesMax)
    this.forwardBytesMax = Math.min(limits.forwardWindowBytesMax, Math.floor(recordBytesMax / 2))
    this.#commandBytesMax = 1.5 * frameBytesMax
    this.#inlineBytesMax = Math.min(limits.inlineBodyBytesMax, Math.floor(frameBytesMax / 2))
    this.#bodyBytesMax = Math.min(
      partitionLimits.bodyBytesMax + partitionLimits.envelopeMetaBytesMax,
      recordBytesMax - marginBytes,
    )
  }

  /** Why a command is refused that has a body which no record can hold. */
  refuseBody(command: Command): KirokuError | undefined {
    if (command.type === 'EditBody' && command.body.length + lineageBytesMax > this.#bodyBytesMax)
      return new KirokuError('BodyTooLarge', `this log takes bodies of up to ${this.#bodyBytesMax} bytes`)
    if (command.type !== 'Enqueue' && command.type !== 'Forward') return undefined
    // What was taken as a send must also arrive as a dead letter, which says where it comes from.
    const bytesMax = this.#bodyBytesMax + (command.type === 'Forward' ? lineageBytesMax : 0)
    const i = command.messages.findIndex((m) => m.length > bytesMax)
    return i < 0
      ? undefined
      : new KirokuError(
          'BodyTooLarge',
          `message ${i} has ${command.messages[i]!.length} bytes; this log takes up to ${bytesMax}`,
        )
  }

  /** Why a command is refused that takes this many bytes on record, if one turn has no room for it. */
  refuseRecord(bytes: number, command: Command): KirokuError | undefined {
    const bytesMax = this.turnBytesMax
    if (bytes <= bytesMax) return undefined
    const what =
      'messages' in command
        ? `${command.messages.length} messages with their tags and groups take`
        : `this ${command.type} takes`
    const advice = 'messages' in command ? 'send fewer messages at once' : 'shorten its texts'
    return new KirokuError(
      'BodyTooLarge',
      `${what} up to ${bytes} bytes on record, and this log takes ${bytesMax} at once: ${advice}`,
    )
  }

  /** Whether bodies of a command of this many bytes must have records of their own. */
  areLarge(messages: readonly Uint8Array[], bytes: number): boolean {
    return bytes > this.#commandBytesMax || messages.some((m) => m.length > this.#inlineBytesMax)
  }

  /** Bodies above this have records of their own, in a command of this many bytes. */
  inlineBytes(commandBytes: number): number {
    // A command of many middling bodies keeps few bytes inline, so that any number of them fits.
    return commandBytes > this.#commandBytesMax
      ? Math.floor(this.#commandBytesMax / partitionLimits.messagesPerSendMax)
      : this.#inlineBytesMax
  }
}
