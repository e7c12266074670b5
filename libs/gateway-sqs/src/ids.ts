import { hash } from 'node:crypto'
import { isKirokuError, messageUuid, parseMessageId, type MessageAddress } from '@kiroku/protocol'

export const md5 = (bytes: Uint8Array | string): string => hash('md5', bytes)

/** The id of a message as clients of SQS know it; one that does not fit into a UUID, or is none of ours, is told as it is. */
export const uuidOf = (messageId: string): string => {
  try {
    return messageUuid(parseMessageId(messageId)) ?? messageId
  } catch (error) {
    if (isKirokuError(error)) return messageId
    throw error
  }
}

/** The number of a message in its queue, as SQS writes sequence numbers. */
export const sequenceNumberOf = ({ number }: Pick<MessageAddress, 'number'>): string =>
  String(number).padStart(20, '0')

export const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes)
