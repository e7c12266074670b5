import { ChainError, decodeRecord, readChain, type DecodedFrame, type PartitionLog } from '@kiroku/log'
import { evolve, snapshot, type PartitionState } from '@kiroku/partition'
import type { LogEvent } from '@kiroku/protocol'
import type { DecodeCheckpoint } from './Checkpoint.ts'
import { ReplayStarts, type ReplayStart } from './ReplayStarts.ts'
import type { SavedStateStore } from './SavedState.ts'
import { replayCost } from './replayCost.ts'

/** A frame that a pass has reached. Bodies are views into it; large ones are in records ahead of it. */
export interface ReplayFrame {
  readonly seq: number
  /** The store's own timestamp, in ms since 1970; `record.at` is partition time. */
  readonly timeMs: number
  readonly record: DecodedFrame
}

/**
 * Listeners of a pass through a partition. The state is the pass's own: read it, change nothing. An error in
 * a listener ends the pass.
 */
export interface ReplayListener {
  /** Before an event is applied: the state is the one just before it. */
  event?(event: LogEvent, index: number, frame: ReplayFrame, state: PartitionState): void
  /** A frame was applied. The pass waits for the promise. */
  frame?(frame: ReplayFrame, state: PartitionState): void | Promise<void>
  /** A foreign record. */
  foreign?(seq: number, timeMs: number): void
  /**
   * A repair gave up these records, both included. `bridged`: they happened, and the state continues from a
   * checkpoint at `upTo`; otherwise what is readable in them never happened.
   */
  lost?(seq: number, upTo: number, bridged: boolean, state: PartitionState): void
  /**
   * The pass continues after `seq`. `rewound`: what was reported of later records no longer holds, since a
   * repair gave them up. `skipped`: the log was trimmed meanwhile, and some records were never seen.
   */
  restarted?(seq: number, reason: 'rewound' | 'skipped', state: PartitionState): void
}

/** When moments are saved on the way. */
export interface SavePolicy {
  /** Work of replaying since the last one; see `workOf`. Up to 32 times as much where the state is large. */
  readonly work: number
  /** Or bytes of log. */
  readonly bytes: number
}

/** What a pass needs. */
export interface ReplayOptions {
  readonly decodeCheckpoint: DecodeCheckpoint
  /** Moments to start from, and to add to where `keep` says so. */
  readonly moments?: SavedStateStore
  readonly keep?: SavePolicy
  /** Starts at the newest state that is known up to this sequence. Default: at the beginning of the record. */
  readonly near?: number
  readonly listeners?: readonly ReplayListener[]
  /** Called every few thousand changes, to let other work run. */
  readonly pause?: () => Promise<void>
  readonly onRecord?: (seq: number, events: number) => void
}

/**
 * A moment's work should be this many times the size of its state, but at most this many times what was asked
 * for.
 */
const stateShare = 2
const timesMax = 32

/** Work between two yields: some ms. */
const pauseWork = 4_000

/** A part of the record that a pass cannot enter. */
export interface LostPart {
  readonly seq: number
  readonly upTo: number
  readonly bridged: boolean
}

/**
 * A replay of one partition that advances record by record, as far as requested, with the engine's own
 * `evolve`. It checks the chain of hashes, passes over what repairs gave up, and restarts from an older state
 * where a repair gave up what it had seen.
 */
export class Replay {
  /** Moments so close together that replaying from one to the next is quick even on a busy machine. */
  static readonly keepDefault: SavePolicy = { work: 50_000, bytes: 8 * 1024 * 1024 }

  readonly #log: PartitionLog
  readonly #options: ReplayOptions
  readonly #starts: ReplayStarts
  readonly #listeners: readonly ReplayListener[]
  /** Listeners that look at each event. */
  readonly #watching: readonly ReplayListener[]
  #state: PartitionState
  #seq: number
  #hash: Uint8Array
  #work: number
  #events = 0
  #lost: LostPart | undefined
  /** Work and bytes when the last moment was saved. */
  #keptWork: number
  #bytesSince = 0
  #keeping: Promise<void> = Promise.resolve()
  #pausedWork = 0
  /** Where the chain broke when the pass last restarted. */
  #brokeAt = 0

  private constructor(log: PartitionLog, options: ReplayOptions, starts: ReplayStarts, start: ReplayStart) {
    this.#log = log
    this.#options = options
    this.#starts = starts
    this.#listeners = options.listeners ?? []
    this.#watching = this.#listeners.filter(({ event }) => event !== undefined)
    this.#state = start.state
    this.#seq = start.seq
    this.#hash = start.hash
    this.#work = start.work
    this.#keptWork = start.work
  }

  /** Finds where to start. Errors: `BeyondRecord` when no state is known at `near` or before, and those of the log. */
  static async open(log: PartitionLog, options: ReplayOptions): Promise<Replay> {
    const starts = new ReplayStarts(log, options.decodeCheckpoint, options.moments)
    return new Replay(log, options, starts, await starts.find(options.near))
  }

  /** The state after the last record that was passed. */
  get state(): PartitionState {
    return this.#state
  }
  /** Sequence of that record; 0 at the beginning. */
  get seq(): number {
    return this.#seq
  }
  /** Hash of Kiroku's last record up to there. */
  get hash(): Uint8Array {
    return this.#hash
  }
  /** Events that this pass has applied. */
  get events(): number {
    return this.#events
  }
  /** The part at which the last run ended, if it is no longer on record. */
  get lost(): LostPart | undefined {
    return this.#lost
  }

  /**
   * Advances to a sequence, included, or to the current end of the log. Ends earlier at a lost part that
   * reaches beyond it. Errors: `LogDamaged`, `LogShortened`, `FutureVersion`, and those of the log.
   */
  async run(toSeq = Infinity): Promise<void> {
    let isWide = false
    for (;;) {
      const { firstSeq, lastSeq } = await this.#log.state()
      if (lastSeq < this.#seq) {
        await this.#restart(await this.#starts.before(lastSeq + 1), 'rewound')
        continue
      }
      const end = Math.min(toSeq, lastSeq)
      if (end <= this.#seq) return
      if (firstSeq > this.#seq + 1) {
        await this.#restart(await this.#starts.find(undefined), 'skipped')
        continue
      }
      try {
        await this.#read(end, isWide ? lastSeq : end)
        await this.#keeping
        return
      } catch (damage) {
        if (!(damage instanceof ChainError) || damage.id === 'FutureVersion') throw damage
        if (damage.seq < (await this.#log.state()).firstSeq) continue
        // A repair beyond the end says how damage before it is passed over.
        if (!isWide && end < lastSeq) isWide = true
        else if (!(await this.#rewind(damage))) throw damage
      }
    }
  }

  async #read(end: number, readTo: number): Promise<void> {
    this.#lost = undefined
    const from =
      this.#seq === 0 ? {} : { from: { seq: this.#seq, hash: this.#hash, epoch: this.#state.epoch } }
    for await (const entry of readChain(this.#log, { ...from, toSeq: readTo })) {
      if (entry.kind === 'lost') {
        const { seq, upTo, bridged, damage } = entry
        this.#lost = { seq, upTo, bridged }
        if (bridged ? upTo > end : upTo >= end) return
        if (bridged) {
          const start = await this.#starts.at(upTo)
          if (start === undefined) throw damage
          this.#take(start)
        }
        for (const listener of this.#listeners) listener.lost?.(seq, upTo, bridged, this.#state)
        continue
      }
      if (entry.seq > end) return
      if (entry.kind === 'foreign') {
        for (const listener of this.#listeners) listener.foreign?.(entry.seq, entry.timeMs)
      } else {
        const { record, seq, timeMs } = entry
        this.#hash = record.hash
        this.#lost = undefined
        this.#bytesSince += record.sizeBytes
        if (record.kind === 'frame') {
          this.#apply(seq, record, timeMs)
          for (const listener of this.#listeners) {
            const busy = listener.frame?.({ seq, timeMs, record }, this.#state)
            if (busy !== undefined) await busy
          }
        }
      }
      this.#seq = entry.seq
      this.#options.onRecord?.(entry.seq, this.#events)
      if (this.#work - this.#pausedWork >= pauseWork) {
        this.#pausedWork = this.#work
        await this.#options.pause?.()
      }
      if (this.#isMomentDue(entry.kind === 'ours' && entry.record.kind === 'frame')) await this.#keep()
    }
  }

  #apply(seq: number, record: DecodedFrame, timeMs: number): void {
    const state = this.#state
    const { events } = record
    const watching = this.#watching
    const frame: ReplayFrame = { seq, timeMs, record }
    state.beginFrame(seq, record.at)
    for (let i = 0; i < events.length; i++) {
      const event = events[i]!
      for (let w = 0; w < watching.length; w++) watching[w]!.event!(event, i, frame, state)
      evolve(state, event)
      this.#work += replayCost(event)
    }
    this.#events += events.length
  }

  #isMomentDue(isFrame: boolean): boolean {
    const { keep, moments } = this.#options
    if (!isFrame || keep === undefined || moments === undefined) return false
    // A large state costs as much to copy and to read back as it does to replay a good deal of work.
    const { live, runs, producers, dedup } = this.#state
    const size = live.used + runs.used + producers.size + dedup.size
    const times = Math.min(timesMax, Math.max(1, (stateShare * size) / keep.work))
    return this.#work - this.#keptWork >= keep.work * times || this.#bytesSince >= keep.bytes * times
  }

  /** The copy is made now, and stored while the pass continues. */
  async #keep(): Promise<void> {
    await this.#keeping
    const { partition } = this.#log
    const moment = {
      partition,
      seq: this.#seq,
      hash: this.#hash,
      work: this.#work,
      snapshot: snapshot(this.#state),
    }
    this.#keptWork = this.#work
    this.#bytesSince = 0
    this.#keeping = this.#options.moments!.put(moment).then(() => this.#starts.dropTrimmed())
    // The next one to wait for it gets its error.
    this.#keeping.catch(() => {})
  }

  /**
   * Whether the chain breaks because a repair gave up what this pass has seen; then it restarts before that.
   */
  async #rewind(damage: ChainError): Promise<boolean> {
    const { seq } = damage
    if (seq <= this.#brokeAt) return false
    const givenUp = damage.id === 'LogShortened' || seq === this.#seq ? seq : await this.#givenUpBy(seq)
    if (givenUp === undefined) return false
    this.#brokeAt = seq
    await this.#restart(await this.#starts.before(givenUp), 'rewound')
    return true
  }

  /** From which sequence on the record at `seq` gives up what came before, if that was passed. */
  async #givenUpBy(seq: number): Promise<number | undefined> {
    const stored = await this.#log.get(seq)
    if (stored === undefined || stored.foreign) return undefined
    let record
    try {
      record = decodeRecord(stored.data)
    } catch {
      return undefined
    }
    if (record.kind !== 'frame') return undefined
    for (const e of record.events)
      if (e.type === 'Repaired' && e.hash === '' && e.from <= this.#seq) return e.from
    return undefined
  }

  async #restart(start: ReplayStart, reason: 'rewound' | 'skipped'): Promise<void> {
    await this.#keeping
    this.#take(start)
    for (const listener of this.#listeners) listener.restarted?.(start.seq, reason, this.#state)
  }

  #take({ state, seq, hash, work }: ReplayStart): void {
    this.#state = state
    this.#seq = seq
    this.#hash = hash
    if (work < this.#keptWork) this.#keptWork = work
    this.#work = work
    this.#pausedWork = work
  }
}
