import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto'
import { KirokuError } from '@kiroku/protocol'

/**
 * How a message of an erasable queue is stored in the log, byte by byte. As an envelope it would begin with
 * the length 0 written in three bytes, which no envelope does.
 *
 * | bytes | what |
 * |---|---|
 * | 3 | `80 80 00` |
 * | 1 | version: 1 |
 * | 2 | length of the head, little-endian |
 * | | the head, JSON: which keys it takes, the outermost first, and what must be known without them |
 * | | the box: nonce (12), cipher text, tag (16), by AES-256-GCM with the key's name as associated data; in it, where there are several keys, the next box |
 */
const mark = [0x80, 0x80, 0x00] as const
const version = 1
const headAt = 6
const nonceBytes = 12
const tagBytes = 16
const algorithm = 'aes-256-gcm'

/** What is known of a sealed message without its keys. */
export interface SealedHead {
  /** Names of its keys, the outermost first. */
  readonly keys: readonly string[]
  /** What the record says of it anyway: its tag and its group, and the origin of a forwarded one. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A sealed message, taken apart. */
export interface Sealed {
  readonly head: SealedHead
  readonly box: Uint8Array
}

/** Whether these bytes are a sealed message. */
export const isSealed = (bytes: Uint8Array): boolean =>
  bytes[0] === mark[0] && bytes[1] === mark[1] && bytes[2] === mark[2] && bytes.length >= headAt

/** Takes a sealed message apart; the box is a view. Errors: `LogDamaged`, `FutureVersion`. */
export const readSealed = (bytes: Uint8Array): Sealed => {
  if (bytes[3]! > version) throw new KirokuError('FutureVersion', `a sealed message has version ${bytes[3]}`)
  const end = headAt + bytes[4]! + 256 * bytes[5]!
  try {
    const head = JSON.parse(Buffer.from(bytes.subarray(headAt, end)).toString()) as SealedHead
    if (Array.isArray(head.keys) && head.keys.every((key) => typeof key === 'string'))
      return { head, box: bytes.subarray(end) }
  } catch (cause) {
    throw new KirokuError('LogDamaged', 'the head of a sealed message cannot be read', { cause })
  }
  throw new KirokuError('LogDamaged', 'a sealed message names no keys')
}

/** Puts a sealed message together. */
export const writeSealed = ({ head, box }: Sealed): Uint8Array => {
  const json = Buffer.from(JSON.stringify(head))
  if (json.length > 0xffff)
    throw new KirokuError('InvalidArgument', 'the head of a sealed message is too long')
  const bytes = new Uint8Array(headAt + json.length + box.length)
  bytes.set(mark)
  bytes[3] = version
  bytes[4] = json.length & 0xff
  bytes[5] = json.length >> 8
  bytes.set(json, headAt)
  bytes.set(box, headAt + json.length)
  return bytes
}

/** Puts bytes into a box that only this key opens. A key is used for one message, or with random nonces. */
export const lock = (plain: Uint8Array, name: string, key: Uint8Array): Uint8Array => {
  const box = Buffer.allocUnsafeSlow(nonceBytes + plain.length + tagBytes)
  randomFillSync(box, 0, nonceBytes)
  const cipher = createCipheriv(algorithm, key, box.subarray(0, nonceBytes), { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(name))
  box.set(cipher.update(plain), nonceBytes)
  cipher.final()
  box.set(cipher.getAuthTag(), nonceBytes + plain.length)
  return box
}

/** Opens a box; undefined: it is not one of this name and key. */
export const unlock = (box: Uint8Array, name: string, key: Uint8Array): Uint8Array | undefined => {
  const end = box.length - tagBytes
  try {
    const cipher = createDecipheriv(algorithm, key, box.subarray(0, nonceBytes), { authTagLength: tagBytes })
    cipher.setAAD(Buffer.from(name))
    cipher.setAuthTag(box.subarray(end))
    const plain = cipher.update(box.subarray(nonceBytes, end))
    cipher.final()
    return new Uint8Array(plain.buffer, plain.byteOffset, plain.length)
  } catch {
    return undefined
  }
}
