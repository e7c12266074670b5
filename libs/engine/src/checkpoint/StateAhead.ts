import type { PartitionLog } from '@kiroku/log'
import type { PartitionState } from '@kiroku/partition'
import type { Time } from '../Time.ts'
import { type Fenced, type LogEnd, lookAtEnd } from '../append/fence.ts'
import { limits } from '../limits.ts'
import { FollowTurns } from './FollowTurns.ts'
import { LoadTurns } from './LoadTurns.ts'
import { beginLoad } from './load.ts'
import type { Loaded, PassedOver, StateLoad } from './StateLoad.ts'

/** What all states that a node loads ahead share. */
export class AheadTurns {
  readonly loads: LoadTurns
  readonly follows: FollowTurns

  constructor(time: Time) {
    this.loads = new LoadTurns(time)
    this.follows = new FollowTurns(time)
  }
}

/**
 * The state of a partition that another node still owns, for the ownership that comes: loaded, and kept near the end of the
 * log, in batches, whenever something is stored there. It reads and never writes. What is read before a fence may be given up behind it;
 * that shows when the rest is read, and then this is dropped and everything is loaded again.
 */
export class StateAhead {
  readonly #log: PartitionLog
  readonly #time: Time
  readonly #turns: AheadTurns
  #load: StateLoad | undefined
  #passedOver: readonly PassedOver[] = []
  /** The log is at least so long, as far as is known, and was read so far. */
  #heardSeq = 0
  #readSeq = 0
  /** What is being read; it never fails. */
  #reading: Promise<void> | undefined
  #readAtMs = -Infinity
  #retryMs: number = limits.followRetryMsMin
  /** Whether there is a state, be it that of an empty log. */
  #isLoaded = false
  #cancel: (() => void) | undefined
  #deafen: () => void = () => {}
  #isOver = false
  #logEnd: Promise<LogEnd> | undefined

  /** @param log closed with this */
  constructor(log: PartitionLog, time: Time, turns: AheadTurns) {
    this.#log = log
    this.#time = time
    this.#turns = turns
  }

  /** The last sequence that was read; undefined: there is no state now. */
  get reachedSeq(): number | undefined {
    return this.#isLoaded ? this.#readSeq : undefined
  }

  /** The state read so far; undefined: none. Callers must not change it. */
  get state(): PartitionState | undefined {
    return this.#load?.state
  }

  /** Records that are known to be stored and not read yet. */
  get behind(): number {
    return Math.max(0, this.#heardSeq - (this.reachedSeq ?? 0))
  }

  /** The end of the log as it was when an ownership was about to begin here; undefined: nothing was heard of that. */
  get logEnd(): Promise<LogEnd> | undefined {
    return this.#logEnd
  }

  /** An ownership is about to begin here: looks at the end of the log meanwhile, and reads up to there at once. */
  expect(): void {
    this.#logEnd = lookAtEnd(this.#log)
    this.#logEnd.then(
      ({ lastSeq }) => {
        this.#heardSeq = Math.max(this.#heardSeq, lastSeq)
        if (this.#isOver || this.#reading !== undefined || !this.#isLoaded || this.behind === 0) return
        this.#cancel?.()
        this.#cancel = undefined
        void this.#read(this.#readOn())
      },
      // The ownership finds out, and says.
      () => {},
    )
  }

  /** Loads what there is, and follows from then on. Resolves when it is loaded; fails as a load does, and tries again by itself. */
  async load(): Promise<void> {
    this.#deafen = this.#log.onStored((lastSeq) => {
      this.#heardSeq = Math.max(this.#heardSeq, lastSeq)
      this.#wake()
    })
    const loading = this.#reload()
    void this.#read(loading)
    await loading
  }

  /** Begins with the newest stored state. */
  async #reload(): Promise<void> {
    this.#drop()
    await this.#turns.loads.run(
      // An ownership that has begun goes first.
      () => -1,
      async () => {
        if (this.#isOver) return
        const { lastSeq } = await this.#log.state()
        this.#heardSeq = lastSeq
        if (lastSeq > 0) {
          const { begun, passedOver } = await beginLoad(this.#log, lastSeq)
          this.#load = begun
          this.#passedOver = passedOver
        }
        this.#isLoaded = true
        this.#readSeq = lastSeq
        this.#retryMs = limits.followRetryMsMin
      },
    )
  }

  #drop(): void {
    this.#load = undefined
    this.#isLoaded = false
  }

  /** Notes what is being read, and what comes after it. What it fails with the ownership that comes finds out, and says. */
  #read(reading: Promise<void>): Promise<void> {
    this.#reading = reading
      .catch(() => this.#drop())
      .then(() => {
        this.#reading = undefined
        this.#readAtMs = this.#time.monotonicMs()
        if (this.#isLoaded) this.#wake()
        else this.#retry()
      })
    return this.#reading
  }

  #retry(): void {
    if (this.#isOver) return
    this.#cancel = this.#time.after(this.#retryMs, () => {
      this.#cancel = undefined
      void this.#read(this.#reload())
    })
    this.#retryMs = Math.min(2 * this.#retryMs, limits.followRetryMsMax)
  }

  /** Reads on when there is something new, a while after the last time, and in turn. */
  #wake(): void {
    const isIdle = this.#cancel === undefined && this.#reading === undefined
    if (this.#isOver || !isIdle || !this.#isLoaded || this.behind === 0) return
    const restMs = this.#readAtMs + limits.followMs - this.#time.monotonicMs()
    this.#cancel = this.#time.after(restMs, () => {
      this.#cancel = this.#turns.follows.run(() => {
        this.#cancel = undefined
        return this.#read(this.#readOn())
      })
    })
  }

  async #readOn(): Promise<void> {
    const load = this.#load
    if (load === undefined || (await this.#isTooFarBehind())) return this.#reload()
    const toSeq = Math.min(this.#heardSeq, this.#readSeq + limits.followRecords)
    if ((await load.advance(toSeq)) === undefined) this.#readSeq = toSeq
    else this.#drop()
  }

  /** Whether a newer state is stored than could be read to in a reasonable time. */
  async #isTooFarBehind(): Promise<boolean> {
    if (this.behind <= limits.followBehindMax) return false
    const [newest = 0] = await this.#log.checkpoints.list()
    return newest > this.#readSeq
  }

  /**
   * The state up to a fence, for the caller alone, and the events that were replayed now; undefined where it must be loaded from the beginning: also where what was read is not
   * what the fence stands on.
   */
  async take({ seq, hash }: Pick<Fenced, 'seq' | 'hash'>): Promise<Loaded | undefined> {
    this.#end()
    await this.#reading
    const load = this.#load
    this.#drop()
    if (load === undefined) return undefined
    const { events } = load
    const logState = this.#log.state()
    logState.catch(() => {})
    try {
      if (load.seq < seq && (await load.advance(seq)) !== undefined) return undefined
      if (!load.isAt(seq, hash)) return undefined
      const loaded = await load.finish(this.#passedOver, logState)
      return { ...loaded, events: loaded.events - events }
    } catch {
      return undefined
    }
  }

  /** Ends it. */
  async close(): Promise<void> {
    this.#end()
    await this.#reading
    this.#drop()
    await this.#log.close()
  }

  #end(): void {
    this.#isOver = true
    this.#cancel?.()
    this.#deafen()
  }
}
