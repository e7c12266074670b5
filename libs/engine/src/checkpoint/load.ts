import type { PartitionLog } from '@kiroku/log'
import { KirokuError, isKirokuError } from '@kiroku/protocol'
import { decodeAside } from './decodeAside.ts'
import { type FoundCheckpoint, type Loaded, type PassedOver, StateLoad } from './StateLoad.ts'

/** Rebuilds a partition's state up to `toSeq`. Errors: `LogDamaged`, `LogShortened`, `FutureVersion`. */
export const load = async (log: PartitionLog, toSeq: number): Promise<Loaded> => {
  const { begun, passedOver } = await beginLoad(log, toSeq)
  return begun.finish(passedOver)
}

/**
 * Rebuilds a partition's state up to `toSeq`, from where it may go on: the newest checkpoint that holds, then every frame
 * behind it. A checkpoint that the log names must be the one that it names; otherwise an older one is used, and
 * `passedOver` says why. What lies before that checkpoint is not read, but must exist. Errors: those of `load`.
 */
export const beginLoad = async (
  log: PartitionLog,
  toSeq: number,
): Promise<{ readonly begun: StateLoad; readonly passedOver: readonly PassedOver[] }> => {
  const passedOver: PassedOver[] = []
  for (;;) {
    const found = await newestCheckpoint(log, toSeq, passedOver)
    if (found === undefined) await mustBegin(log, passedOver)
    const begun = await StateLoad.begin(log, found)
    const other = await begun.advance(toSeq)
    if (other === undefined) return { begun, passedOver }
    passedOver.push(other)
  }
}

/** Without a checkpoint the log must have its first record. A checkpoint that only a newer version can read is no damage. */
const mustBegin = async (log: PartitionLog, passedOver: readonly PassedOver[]): Promise<void> => {
  const { firstSeq } = await log.state()
  if (firstSeq <= 1) return
  const what = `partition ${log.partition}: the log begins at ${firstSeq}`
  const newer = passedOver.find(({ id }) => id === 'FutureVersion')
  throw newer === undefined
    ? new KirokuError('LogDamaged', `${what}, and there is no checkpoint for what was before`)
    : new KirokuError(
        'FutureVersion',
        `${what}, and the checkpoint for what was before cannot be read here: ${newer.why}; install that version`,
      )
}

const newestCheckpoint = async (
  log: PartitionLog,
  toSeq: number,
  passedOver: PassedOver[],
): Promise<FoundCheckpoint | undefined> => {
  for (const seq of await log.checkpoints.list()) {
    if (seq > toSeq)
      throw new KirokuError(
        'LogShortened',
        `partition ${log.partition}: the log ends at ${toSeq}, but a checkpoint stands on ${seq}`,
      )
    if (passedOver.some((p) => p.seq === seq)) continue
    const bytes = await log.checkpoints.get(seq)
    if (bytes === undefined) continue
    try {
      const checkpoint = await decodeAside(bytes)
      if (checkpoint === undefined) continue
      if (checkpoint.seq === seq) return { checkpoint, bytes: bytes.length }
      passedOver.push({ seq, why: `it is of record ${checkpoint.seq}` })
    } catch (e) {
      // A damaged checkpoint loses nothing as long as an older one, or the whole log, is there.
      if (!isKirokuError(e)) throw e
      passedOver.push({ seq, why: e.message, id: e.id })
    }
  }
  return undefined
}
