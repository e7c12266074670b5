import type { PartitionLog } from '@kiroku/log'
import { KirokuError, isKirokuError, type ErrorId } from '@kiroku/protocol'
import type { Time } from '../Time.ts'
import type { Append } from './AppendPipeline.ts'
import { sameRecord } from './fence.ts'
import { limits } from '../limits.ts'

/** The last record that is known to be stored. */
export interface Stored {
  readonly seq: number
  readonly hash: Uint8Array
}

/** Errors that do not say whether an append was stored, or that it may be next time. */
const uncertain: ReadonlySet<ErrorId> = new Set(['Fenced', 'LogAmbiguous', 'NatsUnreachable', 'Unavailable'])

/** Why sending the same records again cannot end well: a log that is full, or refuses a record, refuses it again. */
export const refusalAmong = (appends: readonly Append[]): KirokuError | undefined =>
  appends.find(({ error }) => error !== undefined && !uncertain.has(error.id))?.error

/**
 * Has appends stored whose answers failed, by sending the same records again until the log holds all of them. Each names
 * the one place where it may stand, so that of all copies under way, early or late, at most one is stored, and it does not
 * matter which.
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
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, limits.confirmPauseMsMax)) {
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
    await new Promise<void>((resolve) => void time.after(pauseMs, resolve))
  }
}

/** The appends that the log does not hold, the last ones; undefined: another record stands in the place of one of them, or behind them. */
const missingOf = async (
  log: PartitionLog,
  appends: readonly Append[],
  stored: Stored,
): Promise<readonly Append[] | undefined> => {
  const { lastSeq } = await log.state()
  if (!(await holds(log, stored)))
    throw new KirokuError(
      'LogShortened',
      `partition ${log.partition}: record ${stored.seq} was stored, and the log has lost it`,
    )
  const found = appends.filter(({ seq }) => seq <= lastSeq)
  for (const append of found) if (!(await holds(log, append))) return undefined
  return lastSeq > appends.at(-1)!.seq ? undefined : appends.slice(found.length)
}

/** Whether the log holds a record. */
export const holds = async (log: PartitionLog, { seq, hash }: Stored): Promise<boolean> => {
  const stored = await log.get(seq)
  return stored !== undefined && !stored.foreign && sameRecord(stored.data, hash)
}
