import { decodeRecord, type PartitionLog } from '@kiroku/log'
import { isKirokuError } from '@kiroku/protocol'

/** Which frames of a range hold acts; `unclear`: only a replay of the whole range can say. */
export type ActSpan =
  | { readonly kind: 'none' | 'unclear' }
  /** Sequences of the first and the last frame with an act. */
  | { readonly kind: 'some'; readonly first: number; readonly last: number }

/** Records between two calls of `onRead`. */
const pieceRecords = 200

/**
 * Looks for acts after `reached`, up to `lastSeq` included, without a state: it costs a read but no replay.
 * Damage and repairs leave it `unclear`. Errors: those of the log.
 */
export const actsBetween = async (
  log: PartitionLog,
  reached: number,
  lastSeq: number,
  onRead: (seq: number) => void | Promise<void> = () => {},
): Promise<ActSpan> => {
  let [first, last, read] = [0, 0, 0]
  try {
    for await (const { seq, data, foreign } of log.read(reached + 1, lastSeq)) {
      if (++read % pieceRecords === 0) await onRead(seq)
      const record = foreign ? undefined : decodeRecord(data)
      if (record?.kind !== 'frame') continue
      for (const event of record.events) {
        if (event.type === 'Repaired') return { kind: 'unclear' }
        if (!('by' in event) || event.by === undefined) continue
        if (first === 0) first = seq
        last = seq
      }
    }
  } catch (e) {
    // A replay deals with damage: a repair may have passed over it.
    if (isKirokuError(e) && (e.id === 'LogDamaged' || e.id === 'FutureVersion')) return { kind: 'unclear' }
    throw e
  }
  return first === 0 ? { kind: 'none' } : { kind: 'some', first, last }
}
