import type { MessageAddress } from './MessageAddress.ts'

/** Bits of the parts of a message id in the UUID that stands for it; with the incarnation's 32 they are 122. */
const partitionBits = 10n
const queueBits = 30n
const numberBits = 50n
const incarnationDigits = 8

const bits = (count: bigint): bigint => (1n << count) - 1n

/**
 * A message id as a UUID of version 8, for foreign clients that parse ids as UUIDs: it holds the log's incarnation, partition,
 * queue and number. undefined: a part does not fit.
 */
export const messageUuid = ({
  incarnation,
  partition,
  queue,
  number,
}: MessageAddress): string | undefined => {
  const fits =
    /^[0-9a-f]{8}$/.test(incarnation) &&
    BigInt(partition) <= bits(partitionBits) &&
    BigInt(queue) <= bits(queueBits) &&
    BigInt(number) <= bits(numberBits)
  if (!fits) return undefined
  const all =
    (BigInt(`0x${incarnation}`) << (partitionBits + queueBits + numberBits)) |
    (BigInt(partition) << (queueBits + numberBits)) |
    (BigInt(queue) << numberBits) |
    BigInt(number)
  // 48 bits stand before the version, 12 between it and the variant, 62 behind that.
  const high = (all >> 74n).toString(16).padStart(12, '0')
  const middle = (0x8000n | ((all >> 62n) & bits(12n))).toString(16)
  const low = ((2n << 62n) | (all & bits(62n))).toString(16)
  return `${high.slice(0, 8)}-${high.slice(8)}-${middle}-${low.slice(0, 4)}-${low.slice(4)}`
}

/** Reads what `messageUuid` wrote; undefined: it is no such UUID. */
export const parseMessageUuid = (text: string): MessageAddress | undefined => {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text)) return undefined
  const [first, second, third, fourth, fifth] = text.split('-') as [string, string, string, string, string]
  const all =
    (BigInt(`0x${first}${second}`) << 74n) |
    ((BigInt(`0x${third}`) & bits(12n)) << 62n) |
    (BigInt(`0x${fourth}${fifth}`) & bits(62n))
  return {
    incarnation: (all >> (partitionBits + queueBits + numberBits))
      .toString(16)
      .padStart(incarnationDigits, '0'),
    partition: Number((all >> (queueBits + numberBits)) & bits(partitionBits)),
    queue: Number((all >> numberBits) & bits(queueBits)),
    number: Number(all & bits(numberBits)),
  }
}
