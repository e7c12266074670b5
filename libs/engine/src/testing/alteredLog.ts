import { decodeRecord, type Log, type PartitionLog } from '@kiroku/log'
import type { LogEvent } from '@kiroku/protocol'

/** A log whose partition does some things differently. */
export const alteredLog = (log: Log, part: PartitionLog, otherwise: Partial<PartitionLog>): Log => ({
  ...log,
  partition: async () =>
    new Proxy(part, {
      get: (target, name) => {
        const value = Reflect.get(name in otherwise ? otherwise : target, name) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
})

/** Everything that is on record, in order. */
export const eventsOf = async (part: PartitionLog): Promise<LogEvent[]> => {
  const events: LogEvent[] = []
  for await (const { data, foreign } of part.read(1)) {
    if (foreign) continue
    const record = decodeRecord(data)
    if (record.kind === 'frame') events.push(...record.events)
  }
  return events
}

/** The checkpoints that are on record, in order. */
export const checkpointed = async (part: PartitionLog): Promise<number[]> =>
  (await eventsOf(part)).flatMap((e) => (e.type === 'Checkpointed' ? [e.seq] : []))
