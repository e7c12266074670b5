import { type Command, KirokuError, limits as partitionLimits } from '@kiroku/protocol'
import { limits } from '../limits.ts'

/** How large frames and bodies may be, given the largest record that the log takes. */
export interface Sizes {
  /** Bytes that the facts and bodies of one turn may take. */
  readonly turnBytesMax: number
  /** Bytes gathered for one frame; one command more may follow. */
  readonly frameBytesMax: number
  /** Bytes of dead letters in one request, which another node must be able to receive. */
  readonly forwardBytesMax: number
  /** Messages that a redrive moves in one turn. */
  readonly redriveMessagesMax: number
  /** Bytes of facts that restore the past in one turn, about. */
  readonly restoredBytesMax: number
  /** Bytes of old bodies that are stored again in one turn, about. */
  readonly carryBytesMax: number
  /** Refuses a command with a body that no record can hold. */
  refuse(command: Command): KirokuError | undefined
  /** Whether bodies of a command must have records of their own. */
  needsSpill(command: Command, bytes: number): boolean
  /** Bodies above this have records of their own, in a command of so many bytes. */
  spillBytes(commandBytes: number): number
}

/** The head of a record, and the shapes of the most frequent facts. */
const headBytes = 4 * 1024
/** The most that a redrive records of one message. */
const redrivenBytes = 700
/** Room in a record for what is not the body. */
const marginBytes = 64 * 1024
/** What a dead letter's lineage adds to its envelope at most. */
export const lineageBytesMax = 16 * 1024

/** The sizes for a log that takes records up to `recordBytesMax`. */
export const sizesFor = (recordBytesMax: number): Sizes => {
  const frameBytesMax = Math.min(limits.frameBytesMax, Math.floor(recordBytesMax / 4))
  const commandBytesMax = 1.5 * frameBytesMax
  const inlineBytesMax = Math.min(limits.inlineBodyBytesMax, Math.floor(frameBytesMax / 2))
  const bodyBytesMax = Math.min(
    partitionLimits.bodyBytesMax + partitionLimits.envelopeMetaBytesMax,
    recordBytesMax - marginBytes,
  )
  const turnBytesMax = recordBytesMax - headBytes
  return {
    turnBytesMax,
    frameBytesMax,
    redriveMessagesMax: Math.min(limits.redriveMessages, Math.floor(turnBytesMax / 2 / redrivenBytes)),
    restoredBytesMax: Math.floor(turnBytesMax / 4),
    carryBytesMax: Math.min(limits.carryWindowBytes, frameBytesMax),
    forwardBytesMax: Math.min(limits.forwardWindowBytesMax, Math.floor(recordBytesMax / 2)),
    refuse(command) {
      if (command.type === 'EditBody' && command.body.length + lineageBytesMax > bodyBytesMax)
        return new KirokuError('BodyTooLarge', `this log takes bodies of up to ${bodyBytesMax} bytes`)
      if (command.type !== 'Enqueue' && command.type !== 'Forward') return undefined
      // What was taken as a send must also arrive as a dead letter, which says where it comes from.
      const bytesMax = bodyBytesMax + (command.type === 'Forward' ? lineageBytesMax : 0)
      const i = command.messages.findIndex((m) => m.length > bytesMax)
      return i < 0
        ? undefined
        : new KirokuError(
            'BodyTooLarge',
            `message ${i} has ${command.messages[i]!.length} bytes; this log takes up to ${bytesMax}`,
          )
    },
    needsSpill(command, bytes) {
      if (command.type !== 'Enqueue' && command.type !== 'Forward') return false
      return bytes > commandBytesMax || command.messages.some((m) => m.length > inlineBytesMax)
    },
    // A command of many middling bodies keeps so little inline that any number of them fits.
    spillBytes: (bytes) =>
      bytes > commandBytesMax
        ? Math.floor(commandBytesMax / partitionLimits.messagesPerSendMax)
        : inlineBytesMax,
  }
}
