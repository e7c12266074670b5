import { KirokuError } from '@kiroku/protocol'
import { decodeRecord } from './FrameCodec.ts'
import type { PartitionLog } from './Log.ts'

/** A frame and its partition time in ms. */
export interface TimedFrame {
  readonly seq: number
  readonly at: number
}

/** The first readable frame at or after `from`, before `end`. */
export const frameFrom = async (
  log: PartitionLog,
  from: number,
  end: number,
): Promise<TimedFrame | undefined> => {
  for (let seq = from; seq < end; seq++) {
    const stored = await log.get(seq)
    if (stored === undefined || stored.foreign) continue
    try {
      const record = decodeRecord(stored.data)
      if (record.kind === 'frame') return { seq, at: record.at }
    } catch (e) {
      // A repair may have given it up; reading in order shows that.
      if (!(e instanceof KirokuError) || e.id !== 'LogDamaged') throw e
    }
  }
  return undefined
}

/**
 * The first sequence from `firstSeq` to `toSeq` whose frame is of `time` (ms of partition time) or later, found by
 * bisection; `toSeq + 1` when all are earlier.
 */
export const firstFrameAt = async (
  log: PartitionLog,
  time: number,
  firstSeq: number,
  toSeq: number,
): Promise<number> => {
  let low = firstSeq
  let high = toSeq + 1
  while (low < high) {
    const middle = (low + high) >>> 1
    const frame = await frameFrom(log, middle, high)
    if (frame === undefined || frame.at >= time) high = middle
    else low = frame.seq + 1
  }
  return low
}
