import { type DecodedRecord, decodeRecord, equalBytes, type LogRecord, type PartitionLog } from '@kiroku/log'
import { isKirokuError } from '@kiroku/protocol'
import type { DecodeCheckpoint, StoredCheckpoint } from '../replay/Checkpoint.ts'

export const readCheckpoints = async (
  log: PartitionLog,
  listed: readonly number[],
  decode: DecodeCheckpoint,
): Promise<{ checkpoints: Map<number, StoredCheckpoint>; unreadable: number[] }> => {
  const checkpoints = new Map<number, StoredCheckpoint>()
  const passed = new Set<number>()
  for (const seq of listed) {
    const bytes = await log.checkpoints.get(seq)
    try {
      const checkpoint = bytes === undefined ? undefined : decode(bytes)
      // One of an old format is no longer read, and one that an engine deleted meanwhile is gone: neither is
      // damage.
      if (checkpoint === undefined) passed.add(seq)
      if (checkpoint?.seq === seq) checkpoints.set(seq, checkpoint)
    } catch (e) {
      if (!isKirokuError(e) || e.id !== 'LogDamaged') throw e
    }
  }
  const unreadable = listed.filter((seq) => !checkpoints.has(seq) && !passed.has(seq))
  return { checkpoints, unreadable }
}

/** The newest checkpoint whose record matches. */
export const firstStanding = async (
  log: PartitionLog,
  checkpoints: readonly StoredCheckpoint[],
): Promise<StoredCheckpoint | undefined> => {
  for (const checkpoint of [...checkpoints].sort((a, b) => b.seq - a.seq)) {
    const record = tryDecode(await log.get(checkpoint.seq))
    if (record !== undefined && equalBytes(record.hash, checkpoint.hash)) return checkpoint
  }
  return undefined
}

export const tryDecode = (stored: LogRecord | undefined): DecodedRecord | undefined => {
  if (stored === undefined || stored.foreign) return undefined
  try {
    return decodeRecord(stored.data)
  } catch (e) {
    if (isKirokuError(e) && e.id === 'LogDamaged') return undefined
    throw e
  }
}
