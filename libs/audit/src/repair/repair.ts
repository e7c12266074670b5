import { encodeRecord, type Log, type PartitionLog } from '@kiroku/log'
import { KirokuError, isKirokuError, type LogEvent } from '@kiroku/protocol'
import { openPartition, type OpenedPartition } from '../replay/openPartition.ts'
import type { Problem } from '../verify/VerifyReport.ts'
import { diagnose, type Diagnosis } from './Diagnosis.ts'
import type { RepairOptions, RepairOrder, RepairPlan } from './RepairPlan.ts'

/** How far every counter skips ahead after a part of the log was given up: more than a log can hold. */
const skippedNumbers = 2 ** 30
/** Retries when others write meanwhile, or an answer is missing. */
const triesMax = 5

/**
 * Says what is damaged in a partition, what reopening it would cost, and where it would continue. Changes
 * nothing. Errors: `InvalidArgument` (no such partition), `FutureVersion` (the log is newer than this code),
 * and what reading the log throws.
 */
export const planRepair = (log: Log, partition: number, options: RepairOptions): Promise<RepairPlan> =>
  withPartition(log, partition, async ({ handle, problem }) =>
    handle === undefined ? missingPlan(partition, problem) : (await diagnose(handle, options, false)).plan,
  )

/**
 * Reopens a damaged partition by an explicit event: takes it over from its owner and declares what cannot be kept
 * given up. Resolves with the plans carried out; none when nothing was wrong.
 * Errors: as `planRepair`; `LogDamaged` when nothing is left to rebuild the state from; `Busy` when others keep writing.
 */
export const repair = (log: Log, partition: number, order: RepairOrder): Promise<RepairPlan[]> =>
  withPartition(log, partition, async ({ handle, problem }) => {
    const done: RepairPlan[] = []
    let lostEnd = order.acknowledgeLostEnd ?? false
    if (handle === undefined) {
      await log.restore(partition)
      // What that brought back must be shown before any of it is given up.
      return [missingPlan(partition, problem)]
    }
    for (let tries = 0; tries < triesMax; tries++) {
      const diagnosis = await diagnose(handle, order, lostEnd)
      const { plan } = diagnosis
      if (plan.kind === 'none') return done
      if (plan.kind === 'impossible')
        throw new KirokuError(
          'LogDamaged',
          `partition ${partition} cannot be reopened: ${plan.problem?.message ?? 'nothing is left'}`,
        )
      if (!(await reopen(handle, diagnosis, order))) continue
      for (const seq of plan.checkpointsDropped) await handle.checkpoints.delete(seq)
      done.push(plan)
      // Damage may lie both before and after a checkpoint; each is a repair of its own.
      tries = 0
      lostEnd = false
    }
    throw new KirokuError('Busy', `others keep writing to partition ${partition}; stop them first`)
  })

const withPartition = async <A>(
  log: Log,
  n: number,
  use: (opened: OpenedPartition) => Promise<A>,
): Promise<A> => {
  const opened = await openPartition(log, n)
  try {
    return await use(opened)
  } finally {
    await opened.handle?.close()
  }
}

/** What is in the store can be seen only once it has the partition again. */
const missingPlan = (partition: number, problem: Problem): RepairPlan => ({
  partition,
  kind: 'missing',
  firstSeq: 0,
  lastSeq: 0,
  problem,
  from: 1,
  upTo: 0,
  reopensAt: 0,
  lost: { unreadable: 0, records: 0, events: 0, sent: 0, settled: 0, bodies: 0 },
  checkpointsDropped: [],
})

/** Appends the reopening as a fence, so that nothing an earlier owner still has in flight lands after it. */
const reopen = async (log: PartitionLog, diagnosis: Diagnosis, order: RepairOrder): Promise<boolean> => {
  const { plan } = diagnosis
  if (plan.kind === 'checkpoint') return true
  const epoch = diagnosis.epoch + 1
  const of = diagnosis.fenceRecords
  const records: Uint8Array[] = []
  let { hash } = diagnosis
  for (let part = 1; part <= of; part++) {
    const owner: LogEvent = { type: 'OwnerChanged', epoch, node: 'repair', part, of }
    const events = part === 1 ? [owner, ...reopening(diagnosis, order)] : [owner]
    const record = encodeRecord({ epoch, at: diagnosis.at, events, sections: [] }, hash)
    records.push(record.bytes)
    hash = record.hash
  }
  try {
    await log.fence(records, plan.lastSeq)
    return true
  } catch (e) {
    if (isKirokuError(e) && (e.id === 'Fenced' || e.id === 'LogAmbiguous')) return false
    throw e
  }
}

const reopening = (
  { plan, bridgeHash, bodiless, trimmedTo }: Diagnosis,
  { note, by }: RepairOrder,
): LogEvent[] => {
  const bridged = bridgeHash !== undefined
  return [
    {
      type: 'Repaired',
      from: plan.from,
      upTo: plan.upTo,
      hash: bridged ? hex(bridgeHash) : '',
      skip: bridged ? 0 : skippedNumbers,
      note,
      by,
    },
    ...(trimmedTo === undefined ? [] : [{ type: 'Trimmed', upTo: trimmedTo } as const]),
    ...bodiless.map(({ queue, sub, numbers }): LogEvent => ({
      type: 'Discarded',
      queue,
      sub,
      numbers,
      reason: 'operator',
      cause: 'operator',
      error: 'its body was damaged',
    })),
  ]
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
