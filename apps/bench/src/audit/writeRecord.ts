import { encodeRecord, zeroHash, type PartitionLog } from '@kiroku/log'
import { encodeEnvelope, type LogEvent } from '@kiroku/protocol'

/** What a record holds. */
export interface RecordShape {
  /** Messages of a frame that are sent, and as many that are delivered and acknowledged. */
  readonly perFrame: number
  /** Messages whose life is complete. */
  readonly lives: number
  /** Untouched messages, and messages in flight at the end. */
  readonly untouched: number
  readonly live: number
  readonly bodyBytes: number
  /** Whether its frames fill an hour; else each comes a ms after the one before. */
  readonly isSpread?: boolean
  /** Name of the queue; default: `queueName`. */
  readonly name?: string
}

/** Name of the queue that the record is of, and its id. */
export const queueName = 'mail'
const queue = 1
/** Messages of one delivery. */
const batch = 10
const by = { name: 'bench', origin: 'bench' }
/** How long ago the record began, so that nothing of it is too old. */
const agoMs = 3_600_000
/** Appends on their way. */
const depth = 64

/**
 * Writes a record as an engine would have: each message sent in a batch, delivered ten at a time and acknowledged one
 * by one. Returns how many changes of single messages it holds.
 */
export const writeRecord = async (log: PartitionLog, shape: RecordShape): Promise<number> => {
  const { perFrame, lives, untouched, live, bodyBytes, isSpread = false, name = queueName } = shape
  const body = encodeEnvelope(new Uint8Array(bodyBytes).fill(120))
  const bodies = Array.from({ length: perFrame }, () => body)
  const flying: Promise<unknown>[] = []
  let hash: Uint8Array = zeroHash
  // Sending takes most frames, delivering and acknowledging the last ones behind it.
  const frames = Math.ceil((lives + live + untouched) / perFrame) + 4
  const stepMs = isSpread ? Math.max(1, Math.floor(agoMs / frames)) : 1
  let at = Date.now() - agoMs
  let { lastSeq: seq } = await log.state()
  const append = async (events: readonly LogEvent[], withBodies: boolean): Promise<void> => {
    const sections = withBodies ? [{ queue, bodies }] : []
    const record = encodeRecord({ epoch: 1, at: (at += stepMs), events, sections }, hash)
    hash = record.hash
    flying.push(log.append(record.bytes, seq++))
    if (flying.length >= depth) await flying.shift()
  }
  const owner: LogEvent = { type: 'OwnerChanged', epoch: 1, node: 'bench', part: 1, of: 1 }
  const first = encodeRecord({ epoch: 1, at, events: [owner], sections: [] }, hash)
  seq = (await log.fence([first.bytes], seq)).seq
  hash = first.hash
  await append([{ type: 'QueueCreated', queue, name, config: {}, by }], false)

  let [sent, delivered, acked, send, delivery, changes] = [0, 0, 0, 0, 0, 0]
  const all = lives + live + untouched
  while (sent < all || delivered < lives + live || acked < lives) {
    const events: LogEvent[] = []
    const isSending = sent < all
    const [deliverTo, ackTo] = [Math.min(sent, lives + live), Math.min(delivered, lives)]
    if (isSending) {
      const bytes = body.length * perFrame
      events.push({
        type: 'Enqueued',
        queue,
        first: sent + 1,
        count: perFrame,
        dueAt: 0,
        bytes,
        producer: 'p',
        send: ++send,
      })
      sent += perFrame
      changes += perFrame
    }
    for (const end = Math.min(deliverTo, delivered + perFrame); delivered < end; delivered += batch) {
      const numbers = [delivered + 1, Math.min(batch, end - delivered)]
      const lease = { delivery: ++delivery, leaseUntil: at + 86_400_000, leaseCap: 0, attemptsMax: 4 }
      events.push({ type: 'Delivered', queue, sub: 0, ...lease, mode: 'push', numbers, consumer: 'worker-1' })
      changes += batch
    }
    for (const end = Math.min(ackTo, acked + perFrame); acked < end; acked++) {
      events.push({ type: 'Acked', queue, sub: 0, numbers: [acked + 1, 1] })
      changes++
    }
    await append(events, isSending)
  }
  await Promise.all(flying)
  return changes
}
