import { createHash, randomBytes } from 'node:crypto'

/** Bytes of a key. */
const keyBytes = 32
/** Keys of messages that share an entry. */
export const blockMessages = 128

const idBytes = 8

/**
 * Name of a message's key: erasing it needs only the message's id. Its entry holds the keys of a block of
 * numbers in a row; an erased key is zeros.
 */
export const messageKeyName = (partition: number, queue: number, number: number): string =>
  `m.${partition}.${queue}.${number}`

/** Entry with the keys of the block that holds message `number`. */
export const blockEntry = (partition: number, queue: number, number: number): string =>
  `m.${partition}.${queue}.${Math.floor((number - 1) / blockMessages)}`

/**
 * Entry with the keys of a group, whose name it does not reveal. It holds pairs of an id and a key, the one
 * in use last.
 */
export const groupEntry = (partition: number, queue: number, group: string): string =>
  `g.${partition}.${queue}.${createHash('sha256').update(group).digest('hex').slice(0, 32)}`

/** Entry that holds the key of this name; undefined: not a key's name. */
export const entryOf = (name: string): string | undefined => {
  const [kind, partition, queue, last, id] = name.split('.')
  if (kind === 'g' && id !== undefined) return name.slice(0, name.lastIndexOf('.'))
  const number = Number(last)
  return kind === 'm' && Number.isSafeInteger(number) && number >= 1
    ? blockEntry(Number(partition), Number(queue), number)
    : undefined
}

/** The key of this name in the value of its entry; undefined: it was erased. */
export const keyIn = (name: string, value: Uint8Array): Uint8Array | undefined => {
  const last = name.slice(name.lastIndexOf('.') + 1)
  if (name.startsWith('g.')) {
    for (let at = 0; at < value.length; at += idBytes + keyBytes)
      if (idAt(value, at) === last) return value.subarray(at + idBytes, at + idBytes + keyBytes)
    return undefined
  }
  const at = ((Number(last) - 1) % blockMessages) * keyBytes
  const key = value.subarray(at, at + keyBytes)
  return key.length === keyBytes && key.some((byte) => byte !== 0) ? key : undefined
}

/** Keys for a block of messages. */
export const newBlock = (): Uint8Array => new Uint8Array(randomBytes(blockMessages * keyBytes))

/** The value of a block without the keys of these messages. */
export const withoutMessages = (value: Uint8Array, numbers: Iterable<number>): Uint8Array => {
  // Copies a Buffer too, whose `slice` would not.
  const left = new Uint8Array(value)
  for (const number of numbers) {
    const at = ((number - 1) % blockMessages) * keyBytes
    left.fill(0, at, at + keyBytes)
  }
  return left
}

/** The value of a group with one more key, which is now the one in use. */
export const withNewKey = (value: Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.concat([value, randomBytes(idBytes + keyBytes)]))

/** The value of a group without the keys created before the one of this id; if that is gone, so are they. */
export const withKeysFrom = (value: Uint8Array, id: string): Uint8Array => {
  for (let at = 0; at < value.length; at += idBytes + keyBytes)
    if (idAt(value, at) === id) return value.slice(at)
  return value
}

/** Ids of a group's keys in the order of their creation. */
export const keyIds = (value: Uint8Array): string[] => {
  const ids: string[] = []
  for (let at = 0; at < value.length; at += idBytes + keyBytes) ids.push(idAt(value, at))
  return ids
}

const idAt = (value: Uint8Array, at: number): string =>
  Buffer.from(value.subarray(at, at + idBytes)).toString('hex')
