import type { MessageAddress } from './MessageAddress.ts'

/** Bounds of the parts of a message id in the UUID that stands for it: with the incarnation's 32 bits they fill its 122. */
const partitionsMax = 2 ** 10
const queuesMax = 2 ** 30
/** Of the number's bits above the last group. */
const highMax = 2 ** 2

const digits = 16
/** What the last group of a UUID holds of the number; the two bits above stand in the group before. */
const lastGroup = 2 ** 48

const hex = (value: number, length: number): string => value.toString(digits).padStart(length, '0')

/** All of a UUID but its last group, which holds the low bits of the number. undefined: a part does not fit. */
const firstGroups = (
  incarnation: string,
  partition: number,
  queue: number,
  high: number,
): string | undefined => {
  const fits =
    /^[0-9a-f]{8}$/.test(incarnation) && partition < partitionsMax && queue < queuesMax && high < highMax
  if (!fits) return undefined
  const second = (partition << 6) | (queue >>> 24)
  const third = 0x8000 | ((queue >>> 12) & 0xfff)
  const fourth = 0x8000 | ((queue & 0xfff) << 2) | high
  return `${incarnation}-${hex(second, 4)}-${hex(third, 4)}-${hex(fourth, 4)}-`
}

/** Of the id that was written last: most ids follow one of the same queue. */
let last = { incarnation: '', partition: 0, queue: 0, high: 0, groups: undefined as string | undefined }

/**
 * A message id as a UUID of version 8, for foreign clients that parse ids as UUIDs: it holds the log's incarnation, partition,
 * queue and number, from the first bit to the last. undefined: a part does not fit.
 */
export const messageUuid = ({
  incarnation,
  partition,
  queue,
  number,
}: MessageAddress): string | undefined => {
  const high = Math.floor(number / lastGroup)
  if (
    queue !== last.queue ||
    partition !== last.partition ||
    incarnation !== last.incarnation ||
    high !== last.high
  )
    last = { incarnation, partition, queue, high, groups: firstGroups(incarnation, partition, queue, high) }
  return last.groups === undefined ? undefined : last.groups + hex(number % lastGroup, 12)
}

const uuidLength = 36

/** Reads what `messageUuid` wrote; undefined: it is no such UUID. */
export const parseMessageUuid = (text: string): MessageAddress | undefined => {
  if (text.length !== uuidLength) return undefined
  const groups = /^([0-9a-f]{8})-([0-9a-f]{4})-(8[0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/.exec(text)
  if (groups === null) return undefined
  const [second, third, fourth, fifth] = groups.slice(2).map((group) => Number.parseInt(group, digits)) as [
    number,
    number,
    number,
    number,
  ]
  return {
    incarnation: groups[1]!,
    partition: second >>> 6,
    queue: ((second & 0x3f) << 24) | ((third & 0xfff) << 12) | ((fourth >>> 2) & 0xfff),
    number: (fourth & 3) * lastGroup + fifth,
  }
}
