import type { LogEvent } from './LogEvent.ts'

/** Bytes of a text in UTF-8; half of a pair that stands alone becomes a replacement character. */
const utf8Bytes = (text: string): number => {
  const { length } = text
  let bytes = length
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0x80) bytes += unit < 0x800 ? 1 : 2
  }
  return bytes
}

/** The longest mark of how long a text, a list or an object is. */
const headBytes = 5
/**
 * The definition of a shape beside the names of its fields. A frame remembers 64 shapes: so many new ones may have those
 * of the most frequent facts defined again, and each pays its part of that.
 */
const shapeBytes = 32

/** The most that one more range of numbers takes in a fact. */
export const rangeBytes = 14

/** The most that a text takes in a frame. */
export const textBytes = (text: string): number => headBytes + utf8Bytes(text)

/** The most that a number takes in a frame. */
const numberBytes = (n: number): number => (n >>> 0 !== n ? 9 : n < 0x20 ? 1 : n < 0x10000 ? 3 : 5)

/** The most that a list of numbers takes in a frame. */
const numbersBytes = (numbers: ArrayLike<number>): number => {
  let bytes = headBytes
  for (let i = 0; i < numbers.length; i++) bytes += numberBytes(numbers[i]!)
  return bytes
}

/**
 * The most that a value takes in a frame. A shape is defined where it is first met, and again when there were too many
 * others since: but for the most frequent facts it is counted as if that were always so.
 */
export const valueBytes = (value: unknown): number => {
  switch (typeof value) {
    case 'string':
      return textBytes(value)
    case 'number':
      return numberBytes(value)
    case 'object': {
      if (value === null) return 1
      if (value instanceof Uint8Array) return headBytes + value.length
      let bytes: number
      if (Array.isArray(value)) {
        bytes = headBytes
        for (const each of value) bytes += valueBytes(each)
        return bytes
      }
      bytes = shapeBytes
      for (const name in value)
        bytes += textBytes(name) + valueBytes((value as Record<string, unknown>)[name])
      return bytes
    }
    default:
      return 3
  }
}

/** Fixed parts of the most frequent facts: their type, and numbers at their longest; the frame pays for their shapes. */
const fixedBytes = { Enqueued: 110, Delivered: 110, Acked: 35 } as const

/** The most that a fact takes in a frame. */
export const eventBytes = (e: LogEvent): number => {
  switch (e.type) {
    case 'Enqueued': {
      let bytes = fixedBytes.Enqueued + utf8Bytes(e.producer)
      if (e.tag !== undefined) bytes += utf8Bytes(e.tag)
      if (e.group !== undefined) bytes += utf8Bytes(e.group)
      if (e.filteredBy !== undefined) bytes += numbersBytes(e.filteredBy)
      if (e.keys !== undefined) bytes += e.keys.length
      return bytes
    }
    case 'Delivered':
      return (
        fixedBytes.Delivered +
        numbersBytes(e.numbers) +
        utf8Bytes(e.consumer) +
        (e.attempt === undefined ? 0 : utf8Bytes(e.attempt))
      )
    case 'Acked':
      return fixedBytes.Acked + numbersBytes(e.numbers)
    default:
      return valueBytes(e)
  }
}
