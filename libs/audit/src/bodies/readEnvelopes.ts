import { decodeRecord, type DecodedFrame, type PartitionLog } from '@kiroku/log'
import { KirokuError } from '@kiroku/protocol'

/** Where the body of a message is stored. */
export interface BodyLocation {
  readonly seq: number
  readonly index: number
}

/** Frames no further apart than this are read in one go. */
const gapRecords = 32

/**
 * Reads envelopes of one queue from the log, frame by frame, in the order of the records. Errors: `LogDamaged`, and
 * those of the log.
 */
export async function* readEnvelopes<P extends BodyLocation>(
  log: PartitionLog,
  queue: number,
  places: readonly P[],
): AsyncGenerator<{ readonly place: P; readonly frame: DecodedFrame; readonly envelope: Uint8Array }, void> {
  const sorted = places.toSorted((a, b) => a.seq - b.seq || a.index - b.index)
  for (let from = 0; from < sorted.length;) {
    let to = from
    while (to + 1 < sorted.length && sorted[to + 1]!.seq - sorted[to]!.seq <= gapRecords) to++
    let next = from
    for await (const { seq, data, foreign } of log.read(sorted[from]!.seq, sorted[to]!.seq)) {
      if (foreign || next > to || seq < sorted[next]!.seq) continue
      if (seq > sorted[next]!.seq) throw missing(log, sorted[next]!.seq)
      const frame = decodeRecord(data)
      if (frame.kind !== 'frame') throw missing(log, seq)
      for (; next <= to && sorted[next]!.seq === seq; next++) {
        const place = sorted[next]!
        const ref = place.index < frame.bodyCount(queue) ? frame.body(queue, place.index) : undefined
        if (ref === undefined) throw missing(log, seq)
        yield { place, frame, envelope: ref instanceof Uint8Array ? ref : await largeBody(log, ref) }
      }
    }
    if (next <= to) throw missing(log, sorted[next]!.seq)
    from = to + 1
  }
}

const largeBody = async (
  log: PartitionLog,
  { seq, bytes }: { readonly seq: number; readonly bytes: number },
): Promise<Uint8Array> => {
  const stored = await log.get(seq, bytes)
  const record = stored === undefined || stored.foreign ? undefined : decodeRecord(stored.data)
  if (record?.kind !== 'body') throw missing(log, seq)
  return record.body
}

const missing = (log: PartitionLog, seq: number): KirokuError =>
  new KirokuError('LogDamaged', `partition ${log.partition}: the body in record ${seq} is missing`)
