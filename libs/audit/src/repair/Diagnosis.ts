import { ChainError, type PartitionLog } from '@kiroku/log'
import { firstMissing } from '@kiroku/partition'
import { isKirokuError, KirokuError } from '@kiroku/protocol'
import type { StoredCheckpoint } from '../replay/Checkpoint.ts'
import { TailCheck } from '../verify/TailNote.ts'
import type { Problem } from '../verify/VerifyReport.ts'
import type { RepairKind, RepairOptions, RepairPlan } from './RepairPlan.ts'
import { firstStanding, readCheckpoints } from './checkpointsOf.ts'
import { findMissing, nothingMissing, type Missing } from './findMissing.ts'
import { asProblem, strayProblem, trimProblem } from './problems.ts'
import { readLeniently } from './readLeniently.ts'
import { including, standingIn, walk, type Walk } from './walkChain.ts'

/** A plan with what is needed to carry it out. */
export interface Diagnosis {
  readonly plan: RepairPlan
  /** Hash from which the reopening frame continues. */
  readonly hash: Uint8Array
  /** With `bridge`: the hash after which the chain continues. */
  readonly bridgeHash: Uint8Array | undefined
  /** Highest epoch and time in the log, and the number of records per fence. */
  readonly epoch: number
  readonly at: number
  readonly fenceRecords: number
  readonly bodiless: Missing['bodiless']
  /** Up to where the log was trimmed according to a lost end; absent: the log says so itself. */
  readonly trimmedTo?: number | undefined
}

const nothing: RepairPlan['lost'] = { unreadable: 0, records: 0, events: 0, sent: 0, settled: 0, bodies: 0 }

/** Retries when a log's owner trims what was about to be read. */
const trimmedTriesMax = 10

/**
 * Reads a partition's whole log and says how it can be reopened. What its owner trims meanwhile is not
 * damage. Errors: `Busy` when it is trimmed constantly, and what reading the log throws.
 */
export const diagnose = async (
  log: PartitionLog,
  options: RepairOptions,
  acknowledgeLostEnd: boolean,
): Promise<Diagnosis> => {
  for (let tries = 0; tries < trimmedTriesMax; tries++) {
    const { firstSeq } = await log.state()
    const isTrimmed = async (): Promise<boolean> => (await log.state()).firstSeq !== firstSeq
    try {
      const diagnosis = await look(log, options, acknowledgeLostEnd)
      if (!(await isTrimmed())) return diagnosis
    } catch (e) {
      if (!isKirokuError(e) || e.id !== 'LogDamaged' || !(await isTrimmed())) throw e
    }
  }
  throw new KirokuError(
    'Busy',
    `partition ${log.partition} is trimmed faster than it can be read; try again under less load`,
  )
}

const look = async (
  log: PartitionLog,
  { decodeCheckpoint, tails = [], onProgress }: RepairOptions,
  acknowledgeLostEnd: boolean,
): Promise<Diagnosis> => {
  const listed = await log.checkpoints.list()
  const { firstSeq, lastSeq } = await log.state()
  const { checkpoints, unreadable } = await readCheckpoints(log, listed, decodeCheckpoint)
  const note = tails.find(({ partition }) => partition === log.partition)
  const tail = new TailCheck(note)
  const whole = await walk(log, lastSeq, checkpoints, { tail, onProgress })
  const lenient = { fromSeq: firstSeq, lastSeq, onProgress }
  const tally = await readLeniently(log, whole.damage?.seq ?? lastSeq + 1, lenient)
  const { at, fenceRecords } = tally
  // An ownership existed even if all its records are gone.
  const epoch = Math.max(tally.epoch, note?.epoch ?? 0)
  const base = { epoch, at, fenceRecords, bridgeHash: undefined }
  const planOf = (
    kind: RepairKind,
    from: number,
    upTo: number,
    checkpointsDropped: readonly number[],
    problem: Problem | undefined,
    lost: RepairPlan['lost'] = nothing,
  ): RepairPlan => ({
    partition: log.partition,
    kind,
    firstSeq,
    lastSeq,
    ...(problem === undefined ? {} : { problem }),
    from,
    upTo,
    reopensAt: lastSeq + 1,
    lost,
    checkpointsDropped,
  })
  const hasBase = (before: number, dropped: readonly number[]): boolean =>
    firstSeq === 1 ||
    [...whole.standing].some((seq) => seq < before && seq >= firstSeq - 1 && !dropped.includes(seq))

  const newest = ({ standing }: Walk, upTo: number): StoredCheckpoint | undefined =>
    checkpoints.get(Math.max(...[...standing].filter((seq) => seq <= upTo)))
  const missing = async (begin: StoredCheckpoint | undefined, upTo: number): Promise<Missing> =>
    begin === undefined ? nothingMissing : findMissing(log, begin, upTo, { ...tally, firstSeq }, onProgress)

  if (whole.damage === undefined) {
    const begin = [...whole.standing].find((seq) => seq >= firstSeq - 1)
    const oldest = firstSeq === 1 || begin === undefined ? undefined : checkpoints.get(begin)
    const told = including(whole.told, standingIn(checkpoints, whole))
    const gone = oldest && firstMissing(told, firstSeq, [])
    const stray = [...checkpoints.keys()].filter((seq) => !whole.standing.has(seq) && seq >= firstSeq)
    const lostEnd = tail.problem(firstSeq, lastSeq, told.repairedEpoch)
    const isShort = stray.length > 0 || lostEnd !== undefined || acknowledgeLostEnd
    if (gone !== undefined && oldest !== undefined && !isShort) {
      const { bodiless, count } = await missing(newest(whole, lastSeq), lastSeq)
      const lost = { ...nothing, unreadable: firstSeq - gone, bodies: count }
      const what = `the records ${gone} to ${firstSeq - 1} are missing`
      const problem = asProblem(new ChainError('LogDamaged', log.partition, gone, what))
      const plan = planOf('bridge', gone, oldest.seq, unreadable, problem, lost)
      return { ...base, plan, hash: whole.hash, bridgeHash: oldest.hash, bodiless }
    }
    const problem = strayProblem(log, stray, unreadable, lastSeq) ?? (lostEnd && asProblem(lostEnd))
    const dropped = [...stray, ...unreadable]
    const { bodiless, count } = await missing(newest(whole, lastSeq), lastSeq)
    const isEndLost = isShort || count > 0
    const kind = isEndLost ? 'lostEnd' : unreadable.length > 0 ? 'checkpoint' : 'none'
    // The lost end recorded this trim.
    const trimmedTo = gone === undefined ? undefined : firstSeq - 1
    const plan = planOf(
      hasBase(lastSeq + 1, dropped) ? kind : 'impossible',
      lastSeq + 1,
      lastSeq,
      dropped,
      problem ?? (count > 0 ? trimProblem(log, lastSeq) : undefined),
      { ...nothing, bodies: count },
    )
    return { ...base, plan, hash: whole.hash, bodiless, trimmedTo }
  }

  const behind = [...checkpoints.values()].filter((c) => c.seq >= whole.damage!.seq && c.seq <= lastSeq)
  const bridge = await firstStanding(log, behind)
  const end =
    bridge === undefined ? whole : await walk(log, lastSeq, checkpoints, { begin: bridge, onProgress })
  const damage = end.damage ?? whole.damage
  const problem = asProblem(damage)
  if (bridge !== undefined && end.damage === undefined) {
    const { bodiless, count } = await missing(bridge, lastSeq)
    const lost = { ...nothing, unreadable: tally.unreadable.size, bodies: count }
    const within = [...checkpoints.keys()].filter((seq) => seq >= damage.seq && seq < bridge.seq)
    const plan = planOf('bridge', damage.seq, bridge.seq, [...within, ...unreadable], problem, lost)
    return { ...base, plan, hash: end.hash, bridgeHash: bridge.hash, bodiless }
  }
  const dropped = listed.filter((seq) => seq >= damage.seq || unreadable.includes(seq))
  const possible = bridge !== undefined || hasBase(damage.seq, dropped)
  const { lost } =
    bridge === undefined ? tally : await readLeniently(log, damage.seq, { ...lenient, fromSeq: damage.seq })
  const { bodiless, count } = await missing(newest(end, damage.seq - 1) ?? bridge, damage.seq - 1)
  const plan = planOf(possible ? 'void' : 'impossible', damage.seq, lastSeq, dropped, problem, {
    ...lost,
    bodies: count,
  })
  return { ...base, plan, hash: end.hash, bodiless }
}
