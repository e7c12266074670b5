import type { PartitionLog } from '@kiroku/log'
import { rangeTotal } from '@kiroku/protocol'
import { type OnProgress, progressOf } from '../replay/Progress.ts'
import type { RepairPlan } from './RepairPlan.ts'
import { tryDecode } from './checkpointsOf.ts'

/** The readable contents of a range. */
interface Tally {
  readonly lost: RepairPlan['lost']
  readonly unreadable: ReadonlySet<number>
  /** Bodies in records of their own that are unreadable or missing: frame, queue, index. */
  readonly bodies: ReadonlySet<string>
  readonly epoch: number
  readonly at: number
  readonly fenceRecords: number
}

/** Reads on past damage; counts from `countFrom` on. Records before `fromSeq` are missing. */
export const readLeniently = async (
  log: PartitionLog,
  countFrom: number,
  {
    fromSeq,
    lastSeq,
    onProgress,
  }: {
    readonly fromSeq: number
    readonly lastSeq: number
    readonly onProgress: OnProgress | undefined
  },
): Promise<Tally> => {
  const report = progressOf(log.partition, lastSeq, onProgress)
  const unreadable = new Set<number>()
  const bodies = new Set<string>()
  let [records, events, sent, settled] = [0, 0, 0, 0]
  let [epoch, at, fenceRecords] = [0, 0, fenceRecordsDefault]
  let next = fromSeq
  const miss = (seq: number): void => {
    if (seq >= countFrom) unreadable.add(seq)
  }
  for await (const stored of log.read(fromSeq, lastSeq)) {
    for (; next < stored.seq; next++) miss(next)
    next++
    if (stored.foreign) continue
    const record = tryDecode(stored)
    if (record === undefined) {
      miss(stored.seq)
      continue
    }
    epoch = Math.max(epoch, record.epoch)
    if (stored.seq >= countFrom) records++
    if (record.kind === 'body') continue
    report(stored.seq, record.events.length)
    at = Math.max(at, record.at)
    for (const e of record.events) if (e.type === 'OwnerChanged') fenceRecords = e.of
    for (const queue of record.bodyQueues)
      for (let i = 0, count = record.bodyCount(queue); i < count; i++) {
        const ref = record.body(queue, i)
        if (!(ref instanceof Uint8Array) && (ref.seq < fromSeq || unreadable.has(ref.seq)))
          bodies.add(`${stored.seq}/${queue}/${i}`)
      }
    if (stored.seq < countFrom) continue
    events += record.events.length
    for (const e of record.events) {
      if (e.type === 'Enqueued' || e.type === 'ForwardReceived') sent += e.count
      else if ('numbers' in e) settled += rangeTotal(e.numbers)
    }
  }
  for (; next <= lastSeq; next++) miss(next)
  const lost = { unreadable: unreadable.size, records, events, sent, settled, bodies: 0 }
  return { lost, unreadable, bodies, epoch, at, fenceRecords }
}

/** Records per fence where the log does not say; as many as an owner may have appends in flight. */
const fenceRecordsDefault = 4
