import type { Opened, OpenMessage } from '@kiroku/log'
import {
  decodeEnvelope,
  type Delivery,
  encodeEnvelope,
  type EnvelopeMeta,
  KirokuError,
  pushNumber,
} from '@kiroku/protocol'
import type { KeyRing } from '../keys/KeyRing.ts'

/** A delivery as it can be read. */
interface OpenedDelivery {
  /** What of it can be read; absent: nothing. */
  readonly delivery?: Delivery
  /** Numbers of those that were erased. */
  readonly erased: readonly number[]
}

/** A delivery with its opened messages, without those that were erased. Errors: `KeysLost`. */
export const openDelivery = (
  delivery: Omit<Delivery, 'messages'>,
  opened: readonly Opened[],
): OpenedDelivery => {
  const numbers: number[] = []
  const attempts: number[] = []
  const enqueuedAt: number[] = []
  const firstAt: number[] = []
  const messages: Uint8Array[] = []
  const erased: number[] = []
  let i = 0
  for (let r = 0; r < delivery.numbers.length; r += 2)
    for (let n = delivery.numbers[r]!, end = n + delivery.numbers[r + 1]!; n < end; n++, i++) {
      const one = opened[i]!
      if (one.state === 'open') {
        pushNumber(numbers, n)
        attempts.push(delivery.attempts[i]!)
        enqueuedAt.push(delivery.enqueuedAt[i]!)
        if (delivery.firstAt !== undefined) firstAt.push(delivery.firstAt[i]!)
        messages.push(asEnvelope(one))
      } else if (one.state === 'erased') erased.push(n)
      else
        throw new KirokuError(
          'KeysLost',
          `message ${n} of queue ${delivery.queue} cannot be read: its key ${one.head.keys[0]} is lost`,
        )
    }
  if (messages.length === 0) return { erased }
  const first = delivery.firstAt === undefined ? undefined : { firstAt }
  return { delivery: { ...delivery, numbers, attempts, enqueuedAt, ...first, messages }, erased }
}

/** The metadata of a message that may be encrypted; of one that cannot be read, what is known without its keys. */
export const openMessage = async (ring: KeyRing, message: Uint8Array): Promise<EnvelopeMeta> => {
  const opened = (await ring.open([message]))[0]!
  if (opened.state === 'open') return decodeEnvelope(asEnvelope(opened)).meta
  return (opened.head.meta ?? {}) as EnvelopeMeta
}

/** The envelope as its sender made it, with the lineage added since. */
const asEnvelope = ({ message, head }: OpenMessage): Uint8Array => {
  const lineage = (head?.meta as EnvelopeMeta | undefined)?.lineage
  if (lineage === undefined) return message
  const { meta, body } = decodeEnvelope(message)
  return encodeEnvelope(body, { ...meta, lineage })
}
