import type { PartitionLog } from '@kiroku/log'
import { type OutboxEntry, type PartitionState } from '@kiroku/partition'
import { encodeEnvelope, isKirokuError } from '@kiroku/protocol'
import type { BodyCache } from './BodyCache.ts'

/** The body of a letter, or an empty one where a repair accepted that it is gone: the dead letter arrives all the same. */
export const fetchLetter = async (
  log: Pick<PartitionLog, 'state'>,
  cache: BodyCache,
  state: PartitionState,
  source: number,
  { seq, index }: Pick<OutboxEntry, 'seq' | 'index'>,
): Promise<Uint8Array> => {
  try {
    const [envelope] = await cache.fetch([seq], source, [index])
    return envelope!
  } catch (e) {
    if (!isKirokuError(e) || e.id !== 'LogDamaged' || !(await isGivenUp(log, state, seq))) throw e
    return encodeEnvelope(new Uint8Array(0))
  }
}

/** Whether a repair gave a body up: its record is within a bridge, or trimmed away as the lost end of the log said. */
const isGivenUp = async (
  log: Pick<PartitionLog, 'state'>,
  state: PartitionState,
  seq: number,
): Promise<boolean> => {
  if (seq <= state.bridgedSeq) return true
  return state.repairedEpoch > 0 && seq < (await log.state()).firstSeq
}
