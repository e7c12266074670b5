import { firstFrameAt, frameFrom, type Log, type PartitionLog } from '@kiroku/log'
import { type PartitionState } from '@kiroku/partition'
import { type ErrorId, isKirokuError, KirokuError, partitionOf } from '@kiroku/protocol'
import { progressRecords } from '../replay/Progress.ts'
import { Replay, type ReplayListener } from '../replay/Replay.ts'
import type { MissingPartition, PastLog, PastOptions, PastPart, PastPartition, PastQueue } from './PastLog.ts'
import type { AskedMoment } from './QueueMoment.ts'
import { timedFrom } from './spanOf.ts'

/** A pass and its current listener. */
interface OpenReplay {
  readonly log: PartitionLog
  readonly heard: { by: ReplayListener | undefined }
  pass: Replay
}

/**
 * Reads queues of a log at moments of the past. Later moments continue from earlier ones. Close it when done.
 */
export class PastReader {
  readonly #log: Log
  readonly #options: PastOptions
  readonly #logs = new Map<number, PartitionLog>()
  readonly #passes = new Map<number, OpenReplay>()

  constructor(log: Log, options: PastOptions) {
    this.#log = log
    this.#options = options
  }

  /**
   * The queue of that name at a moment. Errors: `FutureMoment`, `BeyondRecord`, `UnknownQueue` (there was none then),
   * `InvalidArgument`, and what reading the log throws.
   */
  async at(name: string, asked: AskedMoment): Promise<PastQueue> {
    const { partitions } = this.#log.meta
    const home = partitionOf(name, partitions)
    const own = 'seq' in asked && asked.partition !== undefined && asked.partition !== home
    const moment = own ? { time: await this.timeOf(asked.partition!, asked.seq) } : asked
    const { state, pass, seq } = await this.#passTo(home, await this.seqOf(home, moment))
    const at = 'time' in moment ? moment.time : state.at
    const queue = state.names.get(name)
    // The first frames of a log belong to a fence and carry no time yet.
    if (state.at === 0 && 'time' in moment)
      throw new KirokuError(
        'BeyondRecord',
        `the record of partition ${home} ${await this.#begins([home])}, later than ${timeText(at)}`,
      )
    if (queue === undefined)
      throw new KirokuError(
        'UnknownQueue',
        `there was no queue "${name}" at ${timeText(at)} (${home}/${seq})`,
      )
    const places: PastPart[] = [{ partition: home, seq, at: state.at, state, queue, pass }]
    for (const part of queue.spread?.parts ?? []) {
      if (part.queue === 0 || part.partition === home) continue
      const there = await this.#passTo(part.partition, await this.seqOf(part.partition, { time: at }))
      const ofPart = there.state.queues.get(part.queue)
      if (ofPart !== undefined)
        places.push({ ...there, partition: part.partition, at: there.state.at, queue: ofPart })
    }
    return { at, places }
  }

  /**
   * All partitions at a moment. One that cannot be read is listed with its problem, as long as another can
   * be. Errors: `FutureMoment`, `BeyondRecord`, `InvalidArgument` (a sequence without its partition, where
   * there are several), and what reading the log throws.
   */
  async all(asked: AskedMoment): Promise<PastLog> {
    const { partitions } = this.#log.meta
    const own = 'seq' in asked ? (asked.partition ?? (partitions === 1 ? 0 : undefined)) : undefined
    if ('seq' in asked && own === undefined)
      throw new KirokuError(
        'InvalidArgument',
        `sequence ${asked.seq} needs a partition: write it like 0/${asked.seq}`,
      )
    const time = 'time' in asked ? asked.time : await this.timeOf(own!, asked.seq)
    const all: PastPartition[] = []
    const missing: MissingPartition[] = []
    let first: KirokuError | undefined
    const look = async (partition: number): Promise<void> => {
      try {
        const isOwn = partition === own && 'seq' in asked
        const seq = isOwn ? asked.seq : await this.seqUpTo(partition, time)
        all.push({ partition, ...(await this.#passTo(partition, seq)) })
      } catch (e) {
        if (!isKirokuError(e) || !ofOnePartition.has(e.id)) throw e
        first ??= e
        missing.push({ partition, problem: { id: e.id, message: e.message, help: e.help } })
      }
    }
    await Promise.all(Array.from({ length: partitions }, (_, partition) => look(partition)))
    if (all.every(({ state }) => state.at === 0))
      throw (
        first ??
        new KirokuError(
          'BeyondRecord',
          `the record ${await this.#begins(all.map(({ partition }) => partition))}, later than ${timeText(time)}`,
        )
      )
    const byPartition = (a: { partition: number }, b: { partition: number }) => a.partition - b.partition
    return { at: time, all: all.sort(byPartition), missing: missing.sort(byPartition) }
  }

  /** One partition at a moment, or at its beginning where that is later. Errors: those of `seqOf`. */
  async partition(partition: number, time: number): Promise<PastPartition> {
    return { partition, ...(await this.#passTo(partition, await this.seqUpTo(partition, time))) }
  }

  /**
   * The queue at a time; where the record or the queue begins later but before `to`, there. Errors: those of `at`.
   */
  async since(name: string, from: AskedMoment, to: AskedMoment): Promise<PastQueue> {
    try {
      return await this.at(name, from)
    } catch (e) {
      const isEarly = isKirokuError(e) && (e.id === 'UnknownQueue' || e.id === 'BeyondRecord')
      if (!isEarly || 'seq' in from) throw e
      const found = await this.#beginning(name, from, to)
      if (found === undefined) throw e
      return this.at(name, { seq: found })
    }
  }

  /** The first record from a time on after which the queue exists. */
  async #beginning(name: string, from: { time: number }, to: AskedMoment): Promise<number | undefined> {
    const home = partitionOf(name, this.#log.meta.partitions)
    const toSeq = await this.seqOf(home, to)
    const log = await this.#partition(home)
    const { firstSeq, lastSeq } = await log.state()
    const near = (await firstFrameAt(log, from.time + 0.5, firstSeq, lastSeq)) - 1
    const open = await this.#open(home, near < firstSeq ? undefined : near)
    this.#passes.set(home, open)
    await open.pass.run(near)
    if (open.pass.state.names.has(name)) return open.pass.seq
    let found: number | undefined
    const event: ReplayListener['event'] = (e, _, { seq }) => {
      if (e.type === 'QueueCreated' && e.name === name) found ??= seq
    }
    while (found === undefined && open.pass.seq < toSeq)
      await this.follow(home, Math.min(toSeq, open.pass.seq + pieceRecords), { event })
    return found
  }

  /** Advances one partition to a sequence, with a listener. */
  async follow(partition: number, toSeq: number, listener: ReplayListener): Promise<void> {
    const { heard, pass } = this.#passes.get(partition)!
    heard.by = listener
    try {
      await pass.run(toSeq)
    } finally {
      heard.by = undefined
    }
  }

  /** The last sequence that a moment contains. Errors: `FutureMoment`, `BeyondRecord`, `InvalidArgument`. */
  async seqOf(partition: number, asked: AskedMoment): Promise<number> {
    const log = await this.#partition(partition)
    const { firstSeq, lastSeq } = await log.state()
    if ('seq' in asked) {
      const { seq } = asked
      if (!Number.isSafeInteger(seq) || seq < 1)
        throw new KirokuError('InvalidArgument', `${seq} is not a sequence: they begin with 1`)
      if (seq > lastSeq)
        throw new KirokuError(
          'FutureMoment',
          `partition ${partition} ends with sequence ${lastSeq}, before ${seq}`,
        )
      return seq
    }
    const { time } = asked
    if (time > this.#options.now) throw new KirokuError('FutureMoment', `${timeText(time)} is in the future`)
    // Times of frames are whole ms.
    const seq = (await firstFrameAt(log, time + 0.5, firstSeq, lastSeq)) - 1
    if (seq >= firstSeq) return seq
    const first = await frameFrom(log, firstSeq, lastSeq + 1)
    const since = first === undefined ? '' : ` at ${timeText(first.at)}`
    throw new KirokuError(
      'BeyondRecord',
      `the record of partition ${partition} begins with sequence ${firstSeq}${since}, later than ${timeText(time)}`,
    )
  }

  /** When the record of the first of these partitions begins, in words. */
  async #begins(partitions: readonly number[]): Promise<string> {
    const times: number[] = []
    for (const partition of partitions) {
      const log = await this.#partition(partition)
      const { firstSeq, lastSeq } = await log.state()
      const frame = await timedFrom(log, firstSeq, lastSeq)
      if (frame !== undefined) times.push(frame.at)
    }
    return times.length === 0 ? 'is empty' : `begins at ${timeText(Math.min(...times))}`
  }

  /** The last sequence up to a time; 0 where the whole record is later. Errors: those of `seqOf`. */
  async seqUpTo(partition: number, time: number): Promise<number> {
    const log = await this.#partition(partition)
    const { firstSeq, lastSeq } = await log.state()
    const isBefore = firstSeq === 1 && (await firstFrameAt(log, time + 0.5, firstSeq, lastSeq)) === 1
    return isBefore && time <= this.#options.now ? 0 : this.seqOf(partition, { time })
  }

  /** Partition time in ms of a record, or of the frame that follows it. Errors: those of `seqOf`. */
  async timeOf(partition: number, seq: number): Promise<number> {
    if (!(partition >= 0 && partition < this.#log.meta.partitions))
      throw new KirokuError('InvalidArgument', `log ${this.#log.meta.name} has no partition ${partition}`)
    await this.seqOf(partition, { seq })
    const log = await this.#partition(partition)
    const { firstSeq, lastSeq } = await log.state()
    if (seq < firstSeq) throw await this.#beyond(log, seq)
    const frame = await frameFrom(log, seq, lastSeq + 1)
    if (frame === undefined)
      throw new KirokuError('FutureMoment', `partition ${partition} has no frame from ${seq} on`)
    return frame.at
  }

  async close(): Promise<void> {
    for (const log of this.#logs.values()) await log.close()
  }

  async #partition(n: number): Promise<PartitionLog> {
    let log = this.#logs.get(n)
    if (log === undefined) this.#logs.set(n, (log = await this.#log.partition(n)))
    return log
  }

  async #passTo(
    partition: number,
    seq: number,
  ): Promise<{ readonly state: PartitionState; readonly pass: Replay; readonly seq: number }> {
    const { moments } = this.#options
    let open = this.#passes.get(partition)
    const notes = (await moments?.list(partition)) ?? []
    const isNear =
      open !== undefined &&
      open.pass.seq <= seq &&
      !notes.some((note) => note.seq > open!.pass.seq && note.seq <= seq)
    if (open === undefined || !isNear) this.#passes.set(partition, (open = await this.#open(partition, seq)))
    await open.pass.run(seq)
    const { lost } = open.pass
    if (lost?.bridged === true)
      throw new KirokuError(
        'BeyondRecord',
        `records ${lost.seq} to ${lost.upTo} of partition ${partition} were damaged: the state at ${seq} is not known`,
      )
    return { state: open.pass.state, pass: open.pass, seq: open.pass.seq }
  }

  async #open(partition: number, seq: number | undefined): Promise<OpenReplay> {
    const log = await this.#partition(partition)
    const { decodeCheckpoint, moments, pause, onProgress } = this.#options
    const heard: OpenReplay['heard'] = { by: undefined }
    const pass = await Replay.open(log, {
      decodeCheckpoint,
      ...(seq === undefined ? {} : { near: seq }),
      ...(moments === undefined ? {} : { moments }),
      ...(pause === undefined ? {} : { pause }),
      onRecord: (at, events) => {
        if (at % progressRecords === 0) onProgress?.({ partition, seq: at, lastSeq: seq ?? at, events })
      },
      listeners: [
        {
          event: (...args) => heard.by?.event?.(...args),
          frame: (...args) => heard.by?.frame?.(...args),
        },
      ],
    }).catch(async (e: unknown) => {
      throw isKirokuError(e) && e.id === 'BeyondRecord' ? await this.#beyond(log, seq ?? 0) : e
    })
    return { log, heard, pass }
  }

  /** Says since when the state is known. */
  async #beyond(log: PartitionLog, seq: number): Promise<KirokuError> {
    const { decodeCheckpoint, moments } = this.#options
    const oldest = await Replay.open(log, {
      decodeCheckpoint,
      ...(moments === undefined ? {} : { moments }),
    })
    return new KirokuError(
      'BeyondRecord',
      `the state of partition ${log.partition} is known from sequence ${oldest.seq} (${timeText(oldest.state.at)}) on, not at ${seq}`,
    )
  }
}

/** An error that keeps only one partition from being read. */
const ofOnePartition: ReadonlySet<ErrorId> = new Set([
  'LogDamaged',
  'LogShortened',
  'FutureVersion',
  'BeyondRecord',
])

/** Records between two checks whether the queue exists. */
const pieceRecords = 1_000

const timeText = (ms: number): string => new Date(ms).toISOString()
