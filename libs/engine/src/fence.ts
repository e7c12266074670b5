import { KirokuError, isKirokuError } from '@kiroku/message'
import { decodeRecord, encodeRecord, zeroHash, type PartitionLog } from '@kiroku/log'
import { limits } from './limits.ts'
import type { Time } from './Time.ts'

/** The start of an ownership: everything up to `seq` is settled, and nobody else can append behind it. */
export interface Fenced {
  readonly epoch: number
  readonly seq: number
  readonly hash: Uint8Array
  /** The store's time of the fence in ms since 1970, and our monotonic time at its answer. */
  readonly timeMs: number
  readonly monotonicMs: number
}

/**
 * Takes the ownership of a log: an atomic batch of as many records as an owner may have appends in flight.
 * Errors: `LogDamaged` when the last record cannot be read, and what the log throws once the tries are over.
 */
export const fence = async (log: PartitionLog, node: string, time: Time): Promise<Fenced> => {
  const until = time.monotonicMs() + limits.fenceTriesMsMax
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    try {
      return await tryFence(log, node, time)
    } catch (e) {
      // A fence without an answer may have been stored; the next one then goes on top of it.
      const again =
        isKirokuError(e) && (e.id === 'Fenced' || e.id === 'LogAmbiguous' || e.id === 'NatsUnreachable')
      if (!again || time.monotonicMs() > until) throw e
    }
    await new Promise<void>((resolve) => time.after(pauseMs, resolve))
  }
}

const tryFence = async (log: PartitionLog, node: string, time: Time): Promise<Fenced> => {
  const { firstSeq, lastSeq } = await log.state()
  const last = await lastOfOurs(log, firstSeq, lastSeq)
  const epoch = last.epoch + 1
  const of = limits.appendsInFlight
  const records: Uint8Array[] = []
  let hash = last.hash
  for (let part = 1; part <= of; part++) {
    const record = encodeRecord(
      { epoch, at: last.at, events: [{ type: 'OwnerChanged', epoch, node, part, of }], sections: [] },
      hash,
    )
    records.push(record.bytes)
    hash = record.hash
  }
  const stored = await log.fence(records, lastSeq)
  return { epoch, seq: stored.seq, hash, timeMs: stored.timeMs, monotonicMs: time.monotonicMs() }
}

const lastOfOurs = async (
  log: PartitionLog,
  firstSeq: number,
  lastSeq: number,
): Promise<{ epoch: number; hash: Uint8Array; at: number }> => {
  let bodyEpoch: { epoch: number; hash: Uint8Array } | undefined
  for (let seq = lastSeq; seq >= firstSeq; seq--) {
    const stored = await log.get(seq)
    if (stored === undefined)
      throw new KirokuError('LogDamaged', `partition ${log.partition}: record ${seq} is missing`)
    if (stored.foreign) continue
    const record = decodeRecord(stored.data)
    bodyEpoch ??= { epoch: record.epoch, hash: record.hash }
    if (record.kind === 'frame') return { ...bodyEpoch, at: record.at }
  }
  if (lastSeq >= firstSeq || lastSeq === 0)
    return { epoch: bodyEpoch?.epoch ?? 0, hash: bodyEpoch?.hash ?? zeroHash, at: 0 }
  throw new KirokuError(
    'LogDamaged',
    `partition ${log.partition}: the log is empty, but had ${lastSeq} records`,
  )
}

/** The node that took the log over behind `fromSeq`, if somebody did since `epoch`. */
export const ownerBehind = async (
  log: PartitionLog,
  fromSeq: number,
  epoch: number,
): Promise<string | undefined> => {
  const { lastSeq } = await log.state()
  let node: string | undefined
  for (let seq = fromSeq; seq <= lastSeq; seq++) {
    const stored = await log.get(seq)
    if (stored === undefined || stored.foreign) continue
    const record = decodeRecord(stored.data)
    if (record.kind === 'frame')
      for (const e of record.events) if (e.type === 'OwnerChanged' && e.epoch > epoch) node = e.node
  }
  return node
}

/** Whether a stored record is the one with this hash. */
export const sameRecord = (data: Uint8Array, hash: Uint8Array): boolean =>
  Buffer.compare(decodeRecord(data).hash, hash) === 0
