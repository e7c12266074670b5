import { decodeRecord, type Log } from '@kiroku/log'
import type { LogEvent } from '@kiroku/protocol'

/** An event with its place and its time in the log. */
export type RecordedEvent = LogEvent & { readonly seq: number; readonly at: number }

/** The contents of a partition's log from `fromSeq` on, as a reader independent of the engine sees it. */
export const readRecord = async (log: Log, partition = 0, fromSeq = 1): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  const handle = await log.partition(partition)
  try {
    for await (const { seq, data } of handle.read(fromSeq)) {
      const record = decodeRecord(data)
      if (record.kind !== 'frame') continue
      for (const event of record.events) events.push({ ...event, seq, at: record.at })
    }
  } finally {
    await handle.close()
  }
  return events
}
