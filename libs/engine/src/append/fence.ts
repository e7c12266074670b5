import {
  decodeRecord,
  encodeRecord,
  zeroHash,
  type DecodedFrame,
  type DecodedRecord,
  type LogRecord,
  type PartitionLog,
} from '@kiroku/log'
import { type ErrorId, KirokuError, isKirokuError, type LogEvent } from '@kiroku/protocol'
import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'

/** The start of an ownership: everything up to `seq` is settled, and no other owner can append behind it. */
export interface Fenced {
  readonly epoch: number
  readonly seq: number
  readonly hash: Uint8Array
  /** The store's time of the fence in ms since 1970, and our monotonic time at its answer. */
  readonly timeMs: number
  readonly monotonicMs: number
  /** This machine's clock at the same moment. */
  readonly wallMs: number
}

/** What a fence has to know of those before it, and of the log. */
export interface Before {
  /** An epoch that the log may have lost: the new one is later. */
  readonly epoch?: number | undefined
  /** Goes on record where an owner takes its own partition over again. */
  readonly reason?: string
  /** The end of the log as it was a moment ago; default: it is looked at. Where it has grown since, the first try fails. */
  readonly end?: Promise<LogEnd> | undefined
}

/**
 * Takes the ownership of a log: an atomic batch of as many records as an owner may have appends in flight.
 * `lockFresh` is asked right before the batch leaves: a node that stood still between reading the log and writing to it
 * must not take the partition from the next owner, who would not notice until its next append. `givenUp` is asked before
 * every try, knows the fences of the earlier ones, and says why there must be no more.
 * Errors: `LogDamaged` when the last record cannot be read, and what the log throws after the last try.
 */
export const fence = async (
  log: PartitionLog,
  node: string,
  time: Time,
  lockFresh: () => boolean,
  givenUp: (tried: TriedFences) => Promise<KirokuError | undefined> | KirokuError | undefined,
  { epoch = 0, reason, end: seen }: Before = {},
): Promise<Fenced> => {
  const until = time.monotonicMs() + limits.fenceTriesMsMax
  const tried = new Set<string>()
  let known = seen?.catch(() => undefined)
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    let over: KirokuError | undefined
    try {
      over = await givenUp(tried)
      const end = over === undefined ? ((await known) ?? (await lookAtEnd(log))) : undefined
      known = undefined
      if (end !== undefined) return await tryFence(log, node, time, lockFresh, end, epoch, reason, tried)
    } catch (e) {
      // A fence without an answer may have been stored; the next one then goes on top of it.
      const again = isKirokuError(e) && uncertain.has(e.id)
      if (!again || time.monotonicMs() > until) throw e
    }
    if (over !== undefined) throw over
    await new Promise<void>((resolve) => time.after(pauseMs, resolve))
  }
}

/** Hashes of the records of fences that may be stored although their answers failed. */
export type TriedFences = ReadonlySet<string>

/** Errors of a write that do not say whether it is stored, or after which the next one may be. */
export const uncertain: ReadonlySet<ErrorId> = new Set([
  'Fenced',
  'LogAmbiguous',
  'NatsUnreachable',
  'NoQuorum',
  'Unavailable',
])

const tryFence = async (
  log: PartitionLog,
  node: string,
  time: Time,
  lockFresh: () => boolean,
  { lastSeq, last }: LogEnd,
  epochBefore: number,
  reason: string | undefined,
  tried: Set<string>,
): Promise<Fenced> => {
  const epoch = Math.max(last.epoch, epochBefore) + 1
  const of = limits.appendsInFlight
  const records: Uint8Array[] = []
  let hash = last.hash
  for (let part = 1; part <= of; part++) {
    const why = part > 1 || reason === undefined ? undefined : { reason }
    const events: LogEvent[] = [{ type: 'OwnerChanged', epoch, node, part, of, ...why }]
    if (part === 1 && last.orphansFrom !== undefined)
      events.push({
        type: 'Repaired',
        from: last.orphansFrom,
        upTo: lastSeq,
        hash: '',
        skip: 0,
        note: 'a foreign record took the place of an append; those behind it were never confirmed',
        by: { name: 'engine', origin: node },
      })
    const record = encodeRecord({ epoch, at: last.at, events, sections: [] }, hash)
    records.push(record.bytes)
    hash = record.hash
    tried.add(hex(hash))
  }
  if (!lockFresh())
    throw new KirokuError('Unavailable', `the lock on partition ${log.partition} is not confirmed`)
  const stored = await log.fence(records, lastSeq)
  const [monotonicMs, wallMs] = [time.monotonicMs(), time.wallMs()]
  return { epoch, seq: stored.seq, hash, timeMs: stored.timeMs, monotonicMs, wallMs }
}

/** The end of a log. */
export interface LogEnd {
  readonly lastSeq: number
  readonly last: Tail
}

/** Looks at the end of a log, for the fence that comes. Errors: `LogDamaged` when the last record cannot be read. */
export const lookAtEnd = async (log: PartitionLog): Promise<LogEnd> => {
  const { firstSeq, lastSeq } = await log.state()
  return { lastSeq, last: await tailOf(log, firstSeq, lastSeq) }
}

/** The end of a log, as the next record needs to know it. */
interface Tail {
  readonly epoch: number
  readonly hash: Uint8Array
  readonly at: number
  /** First of the records at the end that must not be relied on. */
  readonly orphansFrom: number | undefined
}

/**
 * Looks at the end of a log. When a foreign record took the sequence of an append, appends that were in flight behind
 * it still found the sequence that they expected: they are stored, but what they rest on is not. No answer left for
 * them, so the next fence gives them up and continues from the last record before the foreign one.
 */
const tailOf = async (log: PartitionLog, firstSeq: number, lastSeq: number): Promise<Tail> => {
  const ours: { readonly seq: number; readonly record: DecodedRecord }[] = []
  let orphans = 0
  // Mostly these are enough, and come with one request.
  const recent = new Map<number, LogRecord>()
  const fromSeq = Math.max(firstSeq, lastSeq - limits.appendsInFlight + 1)
  if (fromSeq <= lastSeq)
    for await (const record of log.read(fromSeq, lastSeq)) recent.set(record.seq, record)
  for (let seq = lastSeq; seq >= firstSeq; seq--) {
    const hasFrame = ours.some(({ record }, i) => i >= orphans && record.kind === 'frame')
    if (hasFrame && (ours.length >= limits.appendsInFlight || isFence(ours.at(-1)!.record))) break
    const stored = recent.get(seq) ?? (await log.get(seq))
    if (stored?.foreign === true) continue
    const record = stored === undefined ? undefined : decoded(stored.data, hasFrame)
    if (record === undefined) {
      // What lies before the last frame is for the replay to judge.
      if (hasFrame) break
      await mustStand(log, lastSeq)
      throw new KirokuError('LogDamaged', `partition ${log.partition}: record ${seq} is missing`)
    }
    const next = ours.at(-1)
    if (next !== undefined && next.seq > seq + 1 && Buffer.compare(next.record.prevHash, record.hash) !== 0)
      orphans = ours.length
    ours.push({ seq, record })
  }
  if (lastSeq < firstSeq && lastSeq > 0)
    throw new KirokuError(
      'LogDamaged',
      `partition ${log.partition}: the log is empty, but had ${lastSeq} records`,
    )
  const kept = ours.slice(orphans)
  const frame = kept.find(({ record }) => record.kind === 'frame')?.record
  return {
    epoch: ours[0]?.record.epoch ?? 0,
    hash: kept[0]?.record.hash ?? zeroHash,
    at: frame?.kind === 'frame' ? timeBehind(frame) : 0,
    orphansFrom: ours[orphans - 1]?.seq,
  }
}

/** Partition time behind a frame: one that ends a dispute of clocks moves it beyond its own. */
const timeBehind = ({ at, events }: DecodedFrame): number =>
  events.reduce((latest, e) => (e.type === 'ClockResumed' ? Math.max(latest, e.now) : latest), at)

/** A log that another owner has appended to meanwhile, and may have trimmed, is not damaged: it must be read again. */
const mustStand = async (log: PartitionLog, lastSeq: number): Promise<void> => {
  if ((await log.state()).lastSeq !== lastSeq)
    throw new KirokuError('Fenced', `partition ${log.partition}: another owner appended to the log`)
}

/** Every fence judges the tail before it, so that later ones need not read further back. */
const isFence = (record: DecodedRecord): boolean =>
  record.kind === 'frame' && record.events.some((e) => e.type === 'OwnerChanged' || e.type === 'Repaired')

const decoded = (data: Uint8Array, orNothing: boolean): DecodedRecord | undefined => {
  try {
    return decodeRecord(data)
  } catch (e) {
    if (orNothing) return undefined
    throw e
  }
}

/**
 * Another node that took the log over behind `fromSeq`, if one did: it says so there, or has trimmed that since, which
 * only an owner does to records that this one never knew to be stored. Names tell nothing: processes in containers of one
 * host name may have one number.
 */
export const otherOwnerBehind = async (
  log: PartitionLog,
  fromSeq: number,
  epoch: number,
  tried: TriedFences,
): Promise<string | undefined> => {
  let first: number | undefined
  for await (const stored of log.read(fromSeq)) {
    first ??= stored.seq
    const record = stored.foreign ? undefined : decodeRecord(stored.data)
    if (record === undefined) continue
    if (first > fromSeq && record.epoch > epoch) return 'another node'
    if (record.kind === 'frame' && !tried.has(hex(record.hash)))
      for (const e of record.events) if (e.type === 'OwnerChanged' && e.epoch > epoch) return e.node
  }
  return undefined
}

/**
 * Whether a later epoch wrote behind an ownership. What its owner finds missing or damaged then may be what the next
 * one trimmed, and is no damage of the log.
 */
export const isOver = async (log: PartitionLog, { seq, epoch }: Fenced): Promise<boolean> => {
  for await (const stored of log.read(seq + 1)) {
    const record = stored.foreign ? undefined : decoded(stored.data, true)
    if (record !== undefined && record.epoch > epoch) return true
  }
  return false
}

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')

/** Whether a stored record is the one with this hash. */
export const sameRecord = (data: Uint8Array, hash: Uint8Array): boolean =>
  Buffer.compare(decodeRecord(data).hash, hash) === 0
