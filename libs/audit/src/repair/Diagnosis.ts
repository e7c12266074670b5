import {
  ChainError,
  decodeRecord,
  equalBytes,
  readChain,
  zeroHash,
  type ChainAnchor,
  type DecodedFrame,
  type DecodedRecord,
  type LogRecord,
  type PartitionLog,
} from '@kiroku/log'
import { firstMissing, givenUpIn } from '@kiroku/partition'
import { isKirokuError, KirokuError, rangeTotal } from '@kiroku/protocol'
import type { DecodeCheckpoint, StoredCheckpoint } from '../replay/Checkpoint.ts'
import { progressOf, type OnProgress } from '../replay/Progress.ts'
import { TailCheck } from '../verify/TailNote.ts'
import type { Problem } from '../verify/VerifyReport.ts'
import type { RepairKind, RepairOptions, RepairPlan } from './RepairPlan.ts'
import { findMissing, nothingMissing, type Missing } from './findMissing.ts'

/** A plan with what is needed to carry it out. */
export interface Diagnosis {
  readonly plan: RepairPlan
  /** Hash that the reopening frame continues from. */
  readonly hash: Uint8Array
  /** With `bridge`: the hash behind which the chain goes on. */
  readonly bridgeHash: Uint8Array | undefined
  /** Highest epoch and time in the log, and how many records a fence has. */
  readonly epoch: number
  readonly at: number
  readonly fenceRecords: number
  readonly bodiless: Missing['bodiless']
  /** Up to where the log was trimmed by an end that is lost; absent: it says so itself. */
  readonly trimmedTo?: number | undefined
}

/** Records of a fence where the log does not tell; as many as an owner may have appends in flight. */
const fenceRecordsDefault = 4

const nothing: RepairPlan['lost'] = { unreadable: 0, records: 0, events: 0, sent: 0, settled: 0, bodies: 0 }

/** How far a chain could be followed. */
interface Walk {
  readonly hash: Uint8Array
  readonly damage: ChainError | undefined
  readonly told: Told
  /** Checkpoints that stand on the record they name. */
  readonly standing: ReadonlySet<number>
}

/** What the record itself says of what is not there. */
interface Told {
  trimmedTo: number
  givenUp: { readonly from: number; readonly upTo: number }[]
  repairedEpoch: number
}

/** How often a log is looked at again because its owner trimmed what was about to be read. */
const trimmedTriesMax = 10

/**
 * Looks at a partition's whole log and says how it can be reopened. What its owner trims meanwhile is not damage.
 * Errors: `Busy` when it is trimmed all the time, and what the log's reading throws.
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
    `partition ${log.partition} is trimmed faster than it can be read; try again when it is calmer`,
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
  // An ownership whose records are all gone was there nevertheless.
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
    // The end that is gone said that this was trimmed.
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

export const asProblem = ({ seq, id, message }: ChainError): Problem => ({ seq, id, message })

/** Checkpoints that stand on the record they name. */
export const standingIn = (
  checkpoints: ReadonlyMap<number, StoredCheckpoint>,
  { standing }: Walk,
): StoredCheckpoint[] => [...checkpoints.values()].filter(({ seq }) => standing.has(seq))

/** What the records tell, and what checkpoints know of those that are not there. */
export const including = (told: Told, checkpoints: readonly StoredCheckpoint[]): Told => {
  const all: Told = { ...told, givenUp: [...told.givenUp] }
  for (const { snapshot } of checkpoints) {
    all.trimmedTo = Math.max(all.trimmedTo, snapshot.trimmedTo)
    all.repairedEpoch = Math.max(all.repairedEpoch, snapshot.repairedEpoch)
    all.givenUp.push(...givenUpIn(snapshot))
  }
  return all
}

export const strayProblem = (
  log: PartitionLog,
  stray: readonly number[],
  unreadable: readonly number[],
  lastSeq: number,
): Problem | undefined => {
  const named = (seq: number, what: string, id: Problem['id'] = 'LogDamaged'): Problem => ({
    seq,
    id,
    message: `partition ${log.partition}, sequence ${seq}: ${what}`,
  })
  const [first] = [...stray].sort((a, b) => a - b)
  if (first !== undefined)
    return first > lastSeq
      ? named(lastSeq + 1, `the log ends at ${lastSeq}, but a checkpoint stands on ${first}`, 'LogShortened')
      : named(first, 'this is not the record that a checkpoint stands on')
  const [bad] = unreadable
  return bad === undefined ? undefined : named(bad, 'the checkpoint cannot be read')
}

const trimProblem = (log: PartitionLog, lastSeq: number): Problem => ({
  seq: lastSeq + 1,
  id: 'LogShortened',
  message: `partition ${log.partition}: bodies that are needed at ${lastSeq} are trimmed away; the log's end is gone`,
})

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
      // One of an old format is no longer read, one that an engine deleted meanwhile is gone: nothing is wrong with them.
      if (checkpoint === undefined) passed.add(seq)
      if (checkpoint?.seq === seq) checkpoints.set(seq, checkpoint)
    } catch (e) {
      if (!isKirokuError(e) || e.id !== 'LogDamaged') throw e
    }
  }
  const unreadable = listed.filter((seq) => !checkpoints.has(seq) && !passed.has(seq))
  return { checkpoints, unreadable }
}

/** Follows the chain from the beginning, or from a checkpoint, up to the end or the first damage. */
export const walk = async (
  log: PartitionLog,
  toSeq: number,
  checkpoints: ReadonlyMap<number, StoredCheckpoint>,
  {
    begin,
    tail,
    onProgress,
  }: {
    readonly begin?: StoredCheckpoint | undefined
    readonly tail?: TailCheck
    readonly onProgress: OnProgress | undefined
  },
): Promise<Walk> => {
  const from: ChainAnchor | undefined = begin && {
    seq: begin.seq,
    hash: begin.hash,
    epoch: begin.snapshot.epoch,
  }
  const standing = new Set<number>()
  const told: Told = { trimmedTo: 0, givenUp: [], repairedEpoch: 0 }
  const report = progressOf(log.partition, toSeq, onProgress)
  let hash = begin?.hash ?? zeroHash
  try {
    for await (const entry of readChain(log, {
      toSeq,
      deep: true,
      ...(from === undefined ? {} : { from }),
    })) {
      const bridge = entry.kind === 'lost' && entry.bridged ? checkpoints.get(entry.upTo) : undefined
      if (bridge !== undefined) {
        hash = bridge.hash
        standing.add(bridge.seq)
      }
      if (entry.kind !== 'ours') continue
      hash = entry.record.hash
      tail?.pass(entry.seq, entry.record)
      if (entry.record.kind === 'frame') {
        listen(told, entry.record)
        report(entry.seq, entry.record.events.length)
      }
      const checkpoint = checkpoints.get(entry.seq)
      if (checkpoint !== undefined && equalBytes(checkpoint.hash, hash)) standing.add(entry.seq)
    }
    return { hash, standing, told, damage: undefined }
  } catch (e) {
    if (!(e instanceof ChainError) || e.id === 'FutureVersion') throw e
    return { hash, standing, told, damage: e }
  }
}

const listen = (told: Told, { epoch, events }: DecodedFrame): void => {
  for (const e of events)
    if (e.type === 'Trimmed') told.trimmedTo = Math.max(told.trimmedTo, e.upTo)
    else if (e.type === 'Repaired') {
      told.repairedEpoch = epoch
      if (e.upTo >= e.from) told.givenUp.push({ from: e.from, upTo: e.upTo })
    }
}

/** The newest checkpoint whose record is the one it names. */
const firstStanding = async (
  log: PartitionLog,
  checkpoints: readonly StoredCheckpoint[],
): Promise<StoredCheckpoint | undefined> => {
  for (const checkpoint of [...checkpoints].sort((a, b) => b.seq - a.seq)) {
    const record = tryDecode(await log.get(checkpoint.seq))
    if (record !== undefined && equalBytes(record.hash, checkpoint.hash)) return checkpoint
  }
  return undefined
}

/** What a stretch holds, as far as it can be read. */
interface Tally {
  readonly lost: RepairPlan['lost']
  readonly unreadable: ReadonlySet<number>
  /** Bodies that lie in records of their own which are unreadable or not there: frame, queue, index. */
  readonly bodies: ReadonlySet<string>
  readonly epoch: number
  readonly at: number
  readonly fenceRecords: number
}

/** Reads on past damage; counts from `countFrom` on. What lies before `fromSeq` is not there. */
const readLeniently = async (
  log: PartitionLog,
  countFrom: number,
  {
    fromSeq,
    lastSeq,
    onProgress,
  }: {
    readonly fromSeq: number
    readonly lastSeq: number
    readonly onProgress: OnProgress | undefined
  },
): Promise<Tally> => {
  const report = progressOf(log.partition, lastSeq, onProgress)
  const unreadable = new Set<number>()
  const bodies = new Set<string>()
  let [records, events, sent, settled] = [0, 0, 0, 0]
  let [epoch, at, fenceRecords] = [0, 0, fenceRecordsDefault]
  let next = fromSeq
  const miss = (seq: number): void => {
    if (seq >= countFrom) unreadable.add(seq)
  }
  for await (const stored of log.read(fromSeq, lastSeq)) {
    for (; next < stored.seq; next++) miss(next)
    next++
    if (stored.foreign) continue
    const record = tryDecode(stored)
    if (record === undefined) {
      miss(stored.seq)
      continue
    }
    epoch = Math.max(epoch, record.epoch)
    if (stored.seq >= countFrom) records++
    if (record.kind === 'body') continue
    report(stored.seq, record.events.length)
    at = Math.max(at, record.at)
    for (const e of record.events) if (e.type === 'OwnerChanged') fenceRecords = e.of
    for (const queue of record.bodyQueues)
      for (let i = 0, count = record.bodyCount(queue); i < count; i++) {
        const ref = record.body(queue, i)
        if (!(ref instanceof Uint8Array) && (ref.seq < fromSeq || unreadable.has(ref.seq)))
          bodies.add(`${stored.seq}/${queue}/${i}`)
      }
    if (stored.seq < countFrom) continue
    events += record.events.length
    for (const e of record.events) {
      if (e.type === 'Enqueued' || e.type === 'ForwardReceived') sent += e.count
      else if ('numbers' in e) settled += rangeTotal(e.numbers)
    }
  }
  for (; next <= lastSeq; next++) miss(next)
  const lost = { unreadable: unreadable.size, records, events, sent, settled, bodies: 0 }
  return { lost, unreadable, bodies, epoch, at, fenceRecords }
}

const tryDecode = (stored: LogRecord | undefined): DecodedRecord | undefined => {
  if (stored === undefined || stored.foreign) return undefined
  try {
    return decodeRecord(stored.data)
  } catch (e) {
    if (isKirokuError(e) && e.id === 'LogDamaged') return undefined
    throw e
  }
}
