import { KirokuError } from './error/KirokuError.ts'
import { limits } from './limits.ts'
import type { MessageAddress } from './MessageAddress.ts'
import { parseMessageUuid } from './messageUuid.ts'

/** What a receipt names: one message of one delivery. */
export interface ReceiptAddress extends MessageAddress {
  readonly sub: number
  readonly delivery: number
}

const base = 36

/** The id of a message: its log's incarnation and its first place in it. */
export const messageId = (a: MessageAddress): string =>
  `${a.incarnation}-${a.partition.toString(base)}-${a.queue.toString(base)}-${a.number.toString(base)}`

/** Reads a message id, also as the UUID that stands for it. Errors: `InvalidArgument`. */
export const parseMessageId = (id: string): MessageAddress => {
  const uuid = parseMessageUuid(id)
  if (uuid !== undefined) return uuid
  const incarnation = split(id, 3)
  if (incarnation === undefined) throw new KirokuError('InvalidArgument', `"${id}" is not a message id`)
  return { incarnation, partition: numbers[0]!, queue: numbers[1]!, number: numbers[2]! }
}

/** The receipt of one delivery of a message; letters, digits and hyphens only. */
export const receipt = (a: ReceiptAddress): string =>
  `${messageId(a)}-${a.sub.toString(base)}-${a.delivery.toString(base)}`

/** Reads a receipt. Errors: `InvalidReceipt`. */
export const parseReceipt = (text: string): ReceiptAddress => {
  const incarnation = split(text, 5)
  if (incarnation === undefined)
    throw new KirokuError('InvalidReceipt', `"${text.slice(0, 100)}" is not a receipt`)
  const [partition, queue, number, sub, delivery] = numbers
  return { incarnation, partition, queue, number, sub, delivery }
}

/** The numbers that `split` read last. */
const numbers: [number, number, number, number, number] = [0, 0, 0, 0, 0]

/** Reads an incarnation and `count` numbers; undefined: the text is something else. Read by hand, since every receipt is. */
const split = (text: string, count: number): string | undefined => {
  const end = text.indexOf('-')
  if (end < 1 || end > incarnationCharactersMax) return undefined
  for (let i = 0; i < end; i++) if (digitOf(text.charCodeAt(i)) < 0) return undefined
  let from = end + 1
  for (let i = 0; i < count; i++) {
    let value = 0
    let at = from
    for (; at < text.length && at - from < digitsMax; at++) {
      const digit = digitOf(text.charCodeAt(at))
      if (digit < 0) break
      value = value * base + digit
    }
    const isNumber = at > from && Number.isSafeInteger(value)
    const isFollowed = i < count - 1 ? text.charCodeAt(at) === hyphen : at === text.length
    if (!isNumber || !isFollowed) return undefined
    numbers[i] = value
    from = at + 1
  }
  return text.slice(0, end)
}

const hyphen = 0x2d

const incarnationCharactersMax = 16
const digitsMax = 11

/** The value of a digit or a small letter; negative: it is neither. */
const digitOf = (code: number): number =>
  code >= 0x30 && code <= 0x39 ? code - 0x30 : code >= 0x61 && code <= 0x7a ? code - 0x57 : -1

/** The partition on which a queue of this name lives: FNV-1a of the name. */
export const partitionOf = (name: string, partitions: number): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return ((hash ^ (hash >>> 16)) >>> 0) % partitions
}

/** Throws `InvalidQueueName` unless `name` is 1 to 80 letters, digits, hyphens or underscores (`.fifo` may follow). */
export const checkQueueName = (name: string): void => {
  if (
    typeof name !== 'string' ||
    name.length > limits.queueNameCharactersMax ||
    !/^[A-Za-z0-9_-]+(\.fifo)?$/.test(name)
  )
    throw new KirokuError(
      'InvalidQueueName',
      `"${String(name).slice(0, 100)}" is not a queue name: 1 to 80 letters, digits, hyphens and underscores`,
    )
}

/** Throws `InvalidQueueName` for what a new queue or subscription cannot be called: MessagePack loses one name as a key. */
export const checkNewName = (name: string): void => {
  checkQueueName(name)
  if (name === '__proto__')
    throw new KirokuError('InvalidQueueName', '"__proto__" is not a name for a queue or a subscription')
}
