import { ChainError, decodeRecord, readChain, type DecodedFrame, type PartitionLog } from '@kiroku/log'
import { evolve, snapshot, type PartitionState } from '@kiroku/partition'
import type { LogEvent } from '@kiroku/protocol'
import type { DecodeCheckpoint } from './Checkpoint.ts'
import { ReplayStarts, type ReplayStart } from './ReplayStarts.ts'
import type { SavedStateStore } from './SavedState.ts'
import { replayCost } from './replayCost.ts'

/** A frame as a pass comes by it. Bodies are views into it; large ones lie in records ahead of it. */
export interface ReplayFrame {
  readonly seq: number
  /** The store's own timestamp, in ms since 1970; `record.at` is partition time. */
  readonly timeMs: number
  readonly record: DecodedFrame
}

/**
 * Who looks on while a pass goes through a partition. The state is the pass's own: look, and change nothing.
 * What an error in a listener says ends the pass.
 */
export interface ReplayListener {
  /** Before an event is applied: the state is the one just before it. */
  event?(event: LogEvent, index: number, frame: ReplayFrame, state: PartitionState): void
  /** A frame was applied. What comes next waits for the promise. */
  frame?(frame: ReplayFrame, state: PartitionState): void | Promise<void>
  /** A record that is not one of ours. */
  foreign?(seq: number, timeMs: number): void
  /**
   * A repair gave up these records, both included. `bridged`: they happened, and the state goes on from a checkpoint
   * at `upTo`; otherwise what is readable in them never happened.
   */
  lost?(seq: number, upTo: number, bridged: boolean, state: PartitionState): void
  /**
   * The pass goes on behind `seq`. `rewound`: what was told of later records no longer holds, since a repair gave
   * them up. `skipped`: the log was trimmed meanwhile, and some records were never seen.
   */
  restarted?(seq: number, reason: 'rewound' | 'skipped', state: PartitionState): void
}

/** When moments are made on the way. */
export interface SavePolicy {
  /** So much work of replaying since the last one; see `workOf`. Up to 32 times as much where the state is large. */
  readonly work: number
  /** Or so many bytes of log. */
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
  /** Called every few thousand changes, so that others get their turn. */
  readonly pause?: () => Promise<void>
  readonly onRecord?: (seq: number, events: number) => void
}

/** How many times the size of its state a moment's work should be, and how many times more than asked for at most. */
const stateShare = 2
const timesMax = 32

/** Work between two pauses: some ms. */
const pauseWork = 4_000

/** A part of the record that a pass cannot enter. */
export interface LostPart {
  readonly seq: number
  readonly upTo: number
  readonly bridged: boolean
}

/**
 * A replay of one partition that goes on record by record, as far as it is told, with the engine's own `evolve`.
 * It holds the chain of hashes against the log, passes over what repairs gave up, and starts anew from an older
 * state where a repair gave up what it had seen.
 */
export class Replay {
  /** Moments so close together that replaying from one to the next is quick also where others take the machine. */
  static readonly keepDefault: SavePolicy = { work: 50_000, bytes: 8 * 1024 * 1024 }

  readonly #log: PartitionLog
  readonly #options: ReplayOptions
  readonly #starts: ReplayStarts
  readonly #listeners: readonly ReplayListener[]
  /** Those that look at each event. */
  readonly #watching: readonly ReplayListener[]
  #state: PartitionState
  #seq: number
  #hash: Uint8Array
  #work: number
  #events = 0
  #lost: LostPart | undefined
  /** Work and bytes when the last moment was made. */
  #keptWork: number
  #bytesSince = 0
  #keeping: Promise<void> = Promise.resolve()
  #pausedWork = 0
  /** Where the chain broke when the pass last began anew. */
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

  /** The state behind the last record that was passed. */
  get state(): PartitionState {
    return this.#state
  }
  /** Sequence of that record; 0 at the beginning. */
  get seq(): number {
    return this.#seq
  }
  /** Hash of the last record of ours up to there. */
  get hash(): Uint8Array {
    return this.#hash
  }
  /** Events that this pass has applied. */
  get events(): number {
    return this.#events
  }
  /** What the last run ended at, when that is a part which the record holds no more. */
  get lost(): LostPart | undefined {
    return this.#lost
  }

  /**
   * Goes on up to a sequence, included, or to the end of the log as it is now. Ends earlier at a part that was lost
   * and reaches beyond it. Errors: `LogDamaged`, `LogShortened`, `FutureVersion`, and those of the log.
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
        // A repair that lies beyond the end says how damage before it is passed over.
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

  /** The copy is made now, and stored while the pass goes on. */
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
    // Whoever waits for it next gets its error.
    this.#keeping.catch(() => {})
  }

  /** Whether the chain breaks because a repair gave up what this pass has seen; then it begins anew before that. */
  async #rewind(damage: ChainError): Promise<boolean> {
    const { seq } = damage
    if (seq <= this.#brokeAt) return false
    const givenUp = damage.id === 'LogShortened' || seq === this.#seq ? seq : await this.#givenUpBy(seq)
    if (givenUp === undefined) return false
    this.#brokeAt = seq
    await this.#restart(await this.#starts.before(givenUp), 'rewound')
    return true
  }

  /** From which sequence on the record at `seq` gives up what came before, if that is behind us. */
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
