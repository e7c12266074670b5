import type { PartitionLog } from '@kiroku/log'
import { KirokuError, isKirokuError } from '@kiroku/protocol'
import type { Time } from '../Time.ts'
import type { Append } from './AppendPipeline.ts'
import { limits } from '../limits.ts'
import { sameRecord, uncertain } from './fence.ts'

/** The last record that is known to be stored. */
export interface Stored {
  readonly seq: number
  readonly hash: Uint8Array
}

/** Why sending the same records again cannot end well: a log that is full, or refuses a record, refuses it again. */
export const refusalAmong = (appends: readonly Append[]): KirokuError | undefined =>
  appends.find(({ error }) => error !== undefined && !uncertain.has(error.id))?.error

/**
 * Stores appends whose answers failed, by sending the same records again until the log holds all of them. Each expects the one
 * sequence it was made for, so of all copies under way, early or late, at most one is stored, and it does not matter which.
 *
 * @param stopped asked before every try; says why there must be no more
 * @returns nothing where the log holds them, and nothing behind them; otherwise why it does not: `Fenced` where another record
 *   took the place of one of them, or the log's refusal
 * @throws `LogShortened` where the log lost a record that it had confirmed, and what `stopped` gives
 */
export const storeAgain = async (
  log: PartitionLog,
  appends: readonly Append[],
  stored: Stored,
  time: Time,
  stopped: () => KirokuError | undefined,
): Promise<KirokuError | undefined> => {
  const begunMs = time.monotonicMs()
  for (;;) {
    const over = stopped()
    if (over !== undefined) throw over
    try {
      const missing = await missingOf(log, appends, stored)
      if (missing === undefined)
        return new KirokuError(
          'Fenced',
          `partition ${log.partition}: another record took the place of an append`,
        )
      if (missing.length === 0) return undefined
      for (const { record, seq } of missing) await log.append(record, seq - 1)
      continue
    } catch (e) {
      if (!isKirokuError(e)) throw e
      if (e.id === 'StorageFull' || e.id === 'RecordTooLarge') return e
      if (!uncertain.has(e.id)) throw e
    }
    // An eighth of the outage so far: what comes back soon is not waited for much longer than it was away.
    const pauseMs = (time.monotonicMs() - begunMs) / 8
    const withinMs = Math.min(Math.max(pauseMs, limits.confirmPauseMsMin), limits.confirmPauseMsMax)
    await new Promise<void>((resolve) => void time.after(withinMs, resolve))
  }
}

/** The appends that the log does not hold, the last ones; undefined: another record stands in the place of one of them, or behind them. */
const missingOf = async (
  log: PartitionLog,
  appends: readonly Append[],
  stored: Stored,
): Promise<readonly Append[] | undefined> => {
  const { lastSeq } = await log.state()
  await mustHold(log, stored)
  const found = appends.filter(({ seq }) => seq <= lastSeq)
  for (const append of found) if (!(await holds(log, append))) return undefined
  return lastSeq > appends.at(-1)!.seq ? undefined : appends.slice(found.length)
}

/** What the log confirmed must be there. Errors: `LogShortened`. */
export const mustHold = async (log: PartitionLog, stored: Stored): Promise<void> => {
  if (await holds(log, stored)) return
  throw new KirokuError(
    'LogShortened',
    `partition ${log.partition}: record ${stored.seq} was stored, and the log has lost it`,
  )
}

/** Whether the log holds a record. */
export const holds = async (log: PartitionLog, { seq, hash }: Stored): Promise<boolean> => {
  const stored = await log.get(seq)
  return stored !== undefined && !stored.foreign && sameRecord(stored.data, hash)
}
