import { decodeRecord, type DecodedRecord, type Log, type LogRecord, type PartitionLog } from '@kiroku/log'
import {
  isKirokuError,
  KirokuError,
  type LogEvent,
  type LogEventOf,
  messageId as toMessageId,
  parseMessageId,
  type QueueAddress,
  type Ranges,
  stateNames,
  rangeTotal,
} from '@kiroku/protocol'
import { seenNow, type Sight } from '../hidden/Sight.ts'
import type { DecodeCheckpoint } from '../replay/Checkpoint.ts'
import { progressRecords, type OnProgress } from '../replay/Progress.ts'
import { missingText, type LostPartition } from '../replay/missingText.ts'
import { openPartition } from '../replay/openPartition.ts'
import { MessageHistory, type Origin, type LineageStop } from './MessageHistory.ts'
import type { QueueNames, TraceIndex } from './TraceIndex.ts'
import type { Trace, TraceStep, UnreadableRecord } from './TraceStep.ts'
import { attemptsOf } from './attemptsOf.ts'
import { redriveCountOf } from './redriveCount.ts'

/** How to look for a message. */
export interface TraceOptions {
  /** Names queues whose creation is no longer on record. */
  readonly decodeCheckpoint?: DecodeCheckpoint
  readonly onProgress?: OnProgress
  /** Says where to look, so that only part of the record is read; the answer is the same. */
  readonly index?: TraceIndex
  /** Who looks; default: someone who sees everything. */
  readonly sight?: Sight
}

/**
 * Finds everything on record about a message, live or long gone, through every queue that it was forwarded
 * to; for a dead letter or a redriven message, also its earlier life. Reads on past damage and says what it
 * could not read. Errors: `InvalidArgument` (not a message id), `UnknownMessage`, `LogDamaged` where all of
 * it is in missing partitions, and what reading the log throws.
 */
export const trace = async (log: Log, messageId: string, options: TraceOptions = {}): Promise<Trace> => {
  const { incarnation, ...asked } = parseMessageId(messageId)
  if (incarnation !== log.meta.incarnation || asked.partition >= log.meta.partitions)
    throw new KirokuError('UnknownMessage', `message ${messageId} is not one of log ${log.meta.name}`)
  const reading = new TraceReading(log, options)
  const begun = await reading.begin(asked)
  const steps: TraceStep[] = []
  const queues: string[] = []
  let state: Trace['state'] = 'Available'
  const places: LineageStop[] = []
  const passed: QueueAddress[] = [
    asked,
    begun.place,
    ...(begun.fold.origin === undefined ? [] : [begun.fold.origin]),
  ]
  for (let fold: MessageHistory | undefined = begun.fold; fold !== undefined;) {
    if (fold.steps.length > 0) {
      queues.push(fold.queue)
      steps.push(...fold.steps)
      state = stateNames[fold.state]
      places.push(...fold.nexts)
    }
    const place = places.shift()
    if (place !== undefined) passed.push(place)
    fold = place && (await reading.at(place))
  }
  const [begin] = steps
  const { missing } = reading
  if (begin === undefined && missing.length > 0)
    throw new KirokuError('LogDamaged', missing.map(missingText).join('\n'))
  if (begin === undefined)
    throw new KirokuError('UnknownMessage', `the record holds nothing about message ${messageId}`)
  const { place } = begun
  const complete = begin.event === 'Enqueued'
  const isWhole = complete && missing.length === 0 && reading.unreadable.length === 0
  const { hidden, shows } = await seenNow(options.sight, { queues: passed, isWhole })
  const shown = shows.errors ? steps : steps.map(({ error: _, ...step }) => step)
  return {
    messageId: toMessageId({ incarnation, ...place }),
    queues,
    state,
    steps: shown,
    attempts: attemptsOf(shown),
    cameBack: redriveCountOf(steps),
    complete,
    unreadable: reading.unreadable,
    ...(missing.length === 0 ? {} : { missing }),
    ...(hidden === undefined ? {} : { hidden }),
  }
}

/** Frames requested together. */
const framesAtOnce = 16

const nameBy = (fold: MessageHistory, { queue, name, config, subscriptions }: QueueNames): void => {
  fold.nameQueue(queue, name, config)
  for (const [sub, subName] of subscriptions) fold.nameSubscription(queue, sub, subName)
}

/** A place whose message is known by its number. */
type NumberedStop = LineageStop & { readonly number: number }

/** Reads partitions for one trace. */
class TraceReading {
  readonly #log: Log
  readonly #options: TraceOptions
  readonly #unreadable = new Map<string, UnreadableRecord>()
  readonly #missing = new Map<number, LostPartition>()
  #events = 0

  constructor(log: Log, options: TraceOptions) {
    this.#log = log
    this.#options = options
  }

  get unreadable(): UnreadableRecord[] {
    return [...this.#unreadable.values()]
  }

  get missing(): LostPartition[] {
    return [...this.#missing.values()]
  }

  /** Goes back to where the lineage begins, as far as recorded. */
  async begin(asked: NumberedStop): Promise<{ place: NumberedStop; fold: MessageHistory }> {
    let place = asked
    let fold = await this.at(place)
    for (let origin = fold.origin; origin !== undefined; origin = fold.origin) {
      const before = await this.#sourceOf(place, origin)
      if (before === undefined) break
      place = before
      fold = await this.at(place)
    }
    return { place, fold }
  }

  /** What happened at one place. */
  at(place: LineageStop): Promise<MessageHistory> {
    const fold = new MessageHistory(place)
    return this.#partition(place.partition, fold, async (partition) => {
      if (await this.#atByIndex(partition, place, fold)) return fold
      const whole = new MessageHistory(place)
      const { decodeCheckpoint } = this.#options
      if (decodeCheckpoint !== undefined) await nameQueues(partition, whole, decodeCheckpoint)
      await this.#scan(partition, (seq, at, events) => whole.accept(seq, at, events))
      return whole
    })
  }

  /** Reads only the frames that concern the message. False where that is not possible. */
  async #atByIndex(log: PartitionLog, place: LineageStop, fold: MessageHistory): Promise<boolean> {
    const found = this.#options.index?.framesOf(place)
    if (found === undefined) return false
    const { firstSeq, lastSeq } = await log.state()
    // After a trim or a repair only the whole record gives the order.
    if (found.reachedSeq > lastSeq) return false
    if (firstSeq > 1) found.names.forEach((name) => nameBy(fold, name))
    const { beganSeq, reachedSeq } = found
    if (beganSeq >= firstSeq)
      for await (const each of log.read(firstSeq, beganSeq)) if (!this.#accept(each, fold)) return false
    const seqs = found.seqs.filter((seq) => seq >= firstSeq && seq > beganSeq)
    for (let i = 0; i < seqs.length; i += framesAtOnce) {
      const stored = await Promise.all(seqs.slice(i, i + framesAtOnce).map((seq) => log.get(seq)))
      for (const each of stored) if (!this.#accept(each, fold)) return false
    }
    for await (const each of log.read(Math.max(firstSeq, reachedSeq + 1), lastSeq))
      if (!this.#accept(each, fold)) return false
    return true
  }

  #accept(stored: LogRecord | undefined, fold: MessageHistory): boolean {
    if (stored === undefined) return false
    if (stored.foreign) return true
    const record = tryDecode(stored)
    if (record?.kind === 'frame') {
      this.#events += record.events.length
      fold.accept(stored.seq, record.at, record.events)
    }
    return record !== undefined
  }

  /** The message that became a forward. */
  #sourceOf(target: LineageStop, { partition, queue, forward }: Origin): Promise<NumberedStop | undefined> {
    let number = this.#options.index?.sourceOf(target, { partition, queue, forward })
    if (number !== undefined) return Promise.resolve({ partition, queue, number })
    return this.#partition(partition, undefined, async (log) => {
      const departures: Departure[] = []
      await this.#scan(log, (_, __, events) => {
        for (const e of events)
          if (isDeparture(e) && (e.type === 'Readdressed' ? e.source : e.queue) === queue) departures.push(e)
      })
      number = departed(departures, target, forward)
      return number === undefined ? undefined : { partition, queue, number }
    })
  }

  /** Reads a partition; a missing one is noted, and gives `nothing`. */
  async #partition<A>(n: number, nothing: A, read: (log: PartitionLog) => Promise<A>): Promise<A> {
    const { handle: log, problem } = await openPartition(this.#log, n)
    if (log === undefined) {
      this.#missing.set(n, { partition: n, problem })
      return nothing
    }
    try {
      return await read(log)
    } finally {
      await log.close()
    }
  }

  async #scan(
    log: PartitionLog,
    accept: (seq: number, at: number, events: readonly LogEvent[]) => void,
  ): Promise<void> {
    this.#events = await scan(log, accept, this.#unreadable, this.#events, this.#options.onProgress)
  }
}

/** What gives messages the numbers of their forwards. */
type Departure = LogEventOf<'DeadLettered' | 'Redriven' | 'Readdressed'>

const isDeparture = (e: LogEvent): e is Departure =>
  e.type === 'DeadLettered' || e.type === 'Redriven' || e.type === 'Readdressed'

/** The message that left with this forward, which may have been on its way elsewhere before. */
const departed = (
  departures: readonly Departure[],
  target: QueueAddress,
  forward: number,
): number | undefined => {
  let [to, n] = [target, forward]
  for (const e of departures.toReversed()) {
    if (e.target.partition !== to.partition || e.target.queue !== to.queue) continue
    const place = n - e.forward
    const moved = e.type === 'Readdressed' ? e.forwards : e.numbers
    if (place < 0 || place >= rangeTotal(moved)) continue
    if (e.type !== 'Readdressed') return numberAt(moved, place)
    ;[to, n] = [e.from, numberAt(moved, place)]
  }
  return undefined
}

/** The number at an index into ranges. */
const numberAt = (ranges: Ranges, place: number): number => {
  let before = 0
  for (let i = 0; i < ranges.length; i += 2) {
    if (place < before + ranges[i + 1]!) return ranges[i]! + place - before
    before += ranges[i + 1]!
  }
  return Number.NaN
}

/** Feeds every frame that can be read to the fold. */
const scan = async (
  log: PartitionLog,
  accept: (seq: number, at: number, events: readonly LogEvent[]) => void,
  unreadable: Map<string, UnreadableRecord>,
  eventsBefore: number,
  onProgress: OnProgress | undefined,
): Promise<number> => {
  const { partition } = log
  const { firstSeq, lastSeq } = await log.state()
  const miss = (seq: number): void => void unreadable.set(`${partition}/${seq}`, { partition, seq })
  let events = eventsBefore
  let next = firstSeq
  for await (const stored of log.read(firstSeq, lastSeq)) {
    for (; next < stored.seq; next++) miss(next)
    next++
    if (!stored.foreign) {
      const record = tryDecode(stored)
      if (record === undefined) miss(stored.seq)
      else if (record.kind === 'frame') {
        events += record.events.length
        accept(stored.seq, record.at, record.events)
      }
    }
    if (next % progressRecords === 0) onProgress?.({ partition, seq: stored.seq, lastSeq, events })
  }
  for (; next <= lastSeq; next++) miss(next)
  onProgress?.({ partition, seq: lastSeq, lastSeq, events })
  return events
}

const tryDecode = (stored: LogRecord): DecodedRecord | undefined => {
  try {
    return decodeRecord(stored.data)
  } catch (e) {
    if (isKirokuError(e) && e.id === 'LogDamaged') return undefined
    throw e
  }
}

/** Where the log's beginning was trimmed, a checkpoint still knows the queues' names. */
const nameQueues = async (
  log: PartitionLog,
  fold: MessageHistory,
  decode: DecodeCheckpoint,
): Promise<void> => {
  if ((await log.state()).firstSeq === 1) return
  for (const seq of (await log.checkpoints.list()).reverse()) {
    const bytes = await log.checkpoints.get(seq)
    if (bytes === undefined) continue
    try {
      for (const { id, name, config, subs } of decode(bytes)?.snapshot.queues ?? []) {
        fold.nameQueue(id, name, config)
        for (const sub of subs) fold.nameSubscription(id, sub.id, sub.name)
      }
    } catch (e) {
      if (!isKirokuError(e)) throw e
      // `verify` reports damaged checkpoints; another one may know the names.
    }
  }
}
