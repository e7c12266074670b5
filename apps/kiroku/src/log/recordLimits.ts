import type { LogMeta, StoreRoom } from '@kiroku/log'
import { formatBytes, formatDuration } from '@kiroku/protocol'
import type { Settings } from '../config/settings.ts'

type RecordLimits = Pick<LogMeta, 'recordMs' | 'recordBytes'>

/** The configured limits of the record; absent ones stay as they are. */
export const recordLimits = ({ record, recordBytes }: Settings): Partial<RecordLimits> => ({
  ...(record === undefined ? {} : { recordMs: record }),
  ...(recordBytes === undefined ? {} : { recordBytes }),
})

/** Says what changed, one line each. */
export const describeLimits = (before: RecordLimits, now: RecordLimits): string[] => [
  ...(before.recordMs === now.recordMs
    ? []
    : [`the record is kept for ${formatDuration(now.recordMs)}; it was ${formatDuration(before.recordMs)}`]),
  ...(before.recordBytes === now.recordBytes
    ? []
    : [`the record may grow to ${formatBytes(now.recordBytes)}; it was ${formatBytes(before.recordBytes)}`]),
]

/** Warning about a new log whose store cannot hold its record. */
export const recordTooLarge = (
  { recordBytes }: RecordLimits,
  room: StoreRoom | undefined,
): string | undefined =>
  room === undefined || room.bytesMax >= recordBytes
    ? undefined
    : `warning: the record of this new log may grow to ${formatBytes(recordBytes)}, and its store can hold ${formatBytes(room.bytesMax)}: it will be trimmed early; set --record-bytes, or enlarge the disk`
