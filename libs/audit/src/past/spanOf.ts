import { decodeRecord, frameFrom, type Log, type PartitionLog, type TimedFrame } from '@kiroku/log'
import { isKirokuError, partitionOf } from '@kiroku/protocol'
import { ReplayStarts } from '../replay/ReplayStarts.ts'
import type { PastOptions } from './PastLog.ts'

/** The readable past of one partition. */
export interface PartitionSpan {
  readonly partition: number
  /** Records that are stored. */
  readonly firstSeq: number
  readonly lastSeq: number
  /** The first frame after which the state is known, and the last frame. Times are ms of partition time. */
  readonly from: TimedFrame
  readonly to: TimedFrame
}

/** The readable past of a log. Times are ms since 1970. */
export interface LogSpan {
  /** From here on the state of every partition is known, or that of the queue's home partition. */
  readonly from: { readonly at: number }
  readonly to: { readonly at: number }
  /** Without partitions that were never written to. */
  readonly partitions: readonly PartitionSpan[]
  /** The partition of the requested queue, if it exists. */
  readonly home?: number
}

/** How far one can look back, without any replay. Errors: those of the log. */
export const spanOf = async (
  log: Log,
  queue: string | undefined,
  options: Pick<PastOptions, 'decodeCheckpoint' | 'moments'>,
): Promise<LogSpan> => {
  const { partitions: count } = log.meta
  const found = await Promise.all(Array.from({ length: count }, (_, n) => partitionSpan(log, n, options)))
  const partitions = found.filter((span) => span !== undefined)
  const home = queue === undefined ? undefined : partitionOf(queue, count)
  const trimmed = partitions.filter(({ firstSeq }) => firstSeq > 1)
  const own = partitions.find(({ partition }) => partition === home)
  const from =
    own !== undefined
      ? own.from.at
      : trimmed.length > 0
        ? Math.max(...trimmed.map(({ from }) => from.at))
        : Math.min(...partitions.map(({ from }) => from.at))
  return {
    from: { at: partitions.length === 0 ? 0 : from },
    to: { at: Math.max(0, ...partitions.map(({ to }) => to.at)) },
    partitions,
    ...(home === undefined ? {} : { home }),
  }
}

const partitionSpan = async (
  log: Log,
  n: number,
  { decodeCheckpoint, moments }: Pick<PastOptions, 'decodeCheckpoint' | 'moments'>,
): Promise<PartitionSpan | undefined> => {
  const handle = await log.partition(n)
  try {
    const { firstSeq, lastSeq } = await handle.state()
    const known = await new ReplayStarts(handle, decodeCheckpoint, moments).firstKnown()
    const from = known === undefined ? undefined : await timedFrom(handle, Math.max(known, firstSeq), lastSeq)
    const to = await lastFrame(handle, firstSeq, lastSeq)
    if (from === undefined || to === undefined) return undefined
    return { partition: n, firstSeq, lastSeq, from, to }
  } finally {
    await handle.close()
  }
}

/** The first frame from a sequence on that carries a time, which those of the first fence do not. */
export const timedFrom = async (
  log: PartitionLog,
  seq: number,
  lastSeq: number,
): Promise<TimedFrame | undefined> => {
  let frame = await frameFrom(log, seq, lastSeq + 1)
  while (frame?.at === 0) frame = await frameFrom(log, frame.seq + 1, lastSeq + 1)
  return frame
}

/** The last readable frame. */
const lastFrame = async (
  log: PartitionLog,
  firstSeq: number,
  lastSeq: number,
): Promise<TimedFrame | undefined> => {
  for (let seq = lastSeq; seq >= firstSeq; seq--) {
    const stored = await log.get(seq)
    if (stored === undefined || stored.foreign) continue
    try {
      const record = decodeRecord(stored.data)
      if (record.kind === 'frame') return { seq, at: record.at }
    } catch (e) {
      // A replay reports damage.
      if (!isKirokuError(e)) throw e
    }
  }
  return undefined
}
