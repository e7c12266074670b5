import { setImmediate as nextTick } from 'node:timers/promises'
import { firstFrameAt, frameFrom, readChain, type PartitionLog } from '@kiroku/log'
import type { Located } from '@kiroku/partition'
import { KirokuError, type LogEvent } from '@kiroku/protocol'
import { limits } from '../limits.ts'

/** Where a queue's past begins, and how far it is to be read. */
interface PastOfQueue {
  readonly queue: number
  readonly name: string
  /** First record that is there, and whether others were before it. */
  readonly firstSeq: number
  readonly toSeq: number
  /** Number that was next behind `toSeq`. */
  readonly nextNumber: number
  /** Whether a repair ever gave up a part of the log. */
  readonly isRepaired: boolean
}

/**
 * Asks the log where a start lies: at the arrival of a message, or at the first one from a time on. Yields to others
 * every few ms. Errors: `BeyondRecord`, and what the log's reading throws.
 */
export const locateStart = async (
  log: PartitionLog,
  past: PastOfQueue,
  start: { readonly number: number } | { readonly time: number },
): Promise<Located> => {
  const { name, nextNumber, toSeq } = past
  const behind = { from: nextNumber, readFrom: toSeq + 1 }
  if ('time' in start) {
    const fromSeq = await recordAt(log, past, start.time)
    const found = fromSeq > toSeq ? undefined : await firstArrival(log, past, fromSeq, start.time)
    return found === undefined ? behind : { from: found.first, readFrom: found.seq }
  }
  const { number: from } = start
  if (from >= nextNumber) return { ...behind, from }
  const found = await firstArrival(log, past, past.firstSeq, 0)
  if (found !== undefined && found.first <= from) return { from, readFrom: found.seq }
  const oldest = found?.first ?? nextNumber
  throw new KirokuError(
    'BeyondRecord',
    `the record of queue "${name}" begins with message ${oldest}, and message ${from} is before that`,
  )
}

/** The first frame of the record that is not older than `time`; behind the last one when all are. */
const recordAt = async (log: PartitionLog, past: PastOfQueue, time: number): Promise<number> => {
  const { name, firstSeq, toSeq } = past
  const low = await firstFrameAt(log, time, firstSeq, toSeq)
  if (low > firstSeq || firstSeq === 1) return low
  const first = await frameFrom(log, firstSeq, toSeq + 1)
  if (first === undefined || first.at <= time) return low
  throw new KirokuError(
    'BeyondRecord',
    `the record of queue "${name}" begins at ${new Date(first.at).toISOString()}, which is later than ${new Date(time).toISOString()}`,
  )
}

/** The queue's first arrival from a record and a time on. */
const firstArrival = async (
  log: PartitionLog,
  { queue, toSeq, isRepaired }: PastOfQueue,
  fromSeq: number,
  time: number,
): Promise<{ first: number; seq: number } | undefined> => {
  let sliceEnd = performance.now() + limits.sliceMs
  for await (const entry of readChain(log, { fromSeq, toSeq, skipsVoid: isRepaired })) {
    if (entry.kind !== 'ours' || entry.record.kind !== 'frame' || entry.record.at < time) continue
    const found = entry.record.events.find((e) => isArrivalIn(e, queue))
    if (found !== undefined) return { first: found.first, seq: entry.seq }
    if (performance.now() < sliceEnd) continue
    await nextTick()
    sliceEnd = performance.now() + limits.sliceMs
  }
  return undefined
}

const isArrivalIn = (
  e: LogEvent,
  queue: number,
): e is Extract<LogEvent, { type: 'Enqueued' | 'ForwardReceived' }> =>
  (e.type === 'Enqueued' || e.type === 'ForwardReceived') && e.queue === queue
