import type { BodyRef, PartitionLog } from '@kiroku/log'
import { type PartitionState, type Turn, decide } from '@kiroku/partition'
import { clockTrouble, type CommandOf, type PartitionClock } from '@kiroku/protocol'
import type { Time } from '../Time.ts'
import type { Fenced } from '../append/fence.ts'
import { limits } from '../limits.ts'
import { judgeClocks } from './judgeClocks.ts'

/** What partition time asks of its owner. */
interface PartitionTimeWork {
  /** Whether the owner decides. */
  isActive(): boolean
  /** Whether the store takes no frames now. */
  isFull(): boolean
  /** Has a frame written, whose store time is read then. */
  probe(): void
  /** Has a turn begin. */
  wake(): void
  /** Tells people what is wrong. */
  trouble(what: string): void
}

/** A step of partition time: an operator's word with the token of its answer, or nothing where the clocks agree again. */
export interface ClockStep {
  readonly clock?: 'store' | 'node'
  readonly by?: CommandOf<'ConfirmClock'>['by']
  readonly token?: number
}

/** What is to be recorded when partition time goes on under a new ownership. */
export interface Resumed {
  /** The dispute on record ends, or goes on, in a frame of its own. */
  readonly isAlone: boolean
  /** Records it. */
  readonly record: (turn: Turn<BodyRef>, now: number) => void
}

/**
 * The time of one partition: the store's at the fence, or the last frame's where that is later or the clocks disagree,
 * plus what went by since. The turn loop reads it per turn and takes its steps; recovery carries it across a fence.
 */
export class PartitionTime {
  readonly #log: PartitionLog
  readonly #time: Time
  readonly #work: PartitionTimeWork
  #state!: PartitionState
  /** Partition time at the fence, and the monotonic clock then, in ms. */
  #beganMs = 0
  #fencedMs = 0
  /** The store's clock and this machine's, as they were last read together. */
  #clocks!: Pick<Fenced, 'timeMs' | 'wallMs' | 'monotonicMs'>
  #isDisputed = false
  /** A step that is to be decided, ahead of everything else. */
  #step: ClockStep | undefined
  /** The frame of a step that is not stored yet, and the step in ms: it may never be stored. */
  #stepping: { readonly seq: number; readonly ms: number } | undefined
  /** Whether the next frame that is stored tells the store's time. */
  #isProbeDue = false
  #cancelProbe: () => void = () => {}
  /** Partition time up to which this owner certainly did its work, in ms. */
  #aliveUntilMs = 0

  constructor(options: { readonly log: PartitionLog; readonly time: Time }, work: PartitionTimeWork) {
    this.#log = options.log
    this.#time = options.time
    this.#work = work
  }

  /** Partition time at the fence, in ms. */
  get beganMs(): number {
    return this.#beganMs
  }
  /** Whether a step waits to be decided. */
  get isStepDue(): boolean {
    return this.#step !== undefined
  }

  /** Partition time in ms; never before the last frame. */
  now(): number {
    const now = Math.floor(this.#beganMs + (this.#time.monotonicMs() - this.#fencedMs))
    return Math.max(now, this.#state.at)
  }

  /**
   * Goes on behind a fence. A dispute on record ends by a step of its own, also where the clocks agree now: what came in
   * it moves with the step.
   *
   * @param reachedMs time that the same owner had reached before, in ms; 0 for another one
   */
  begin(state: PartitionState, fenced: Fenced, reachedMs: number): Resumed {
    this.#state = state
    this.#clocks = fenced
    this.#fencedMs = fenced.monotonicMs
    const { timeMs: storeMs, wallMs: nodeMs } = fenced
    const { isDisputed, heldMs, agreedMs } = judgeClocks(Math.max(state.at, reachedMs), storeMs, nodeMs)
    const isAlone = state.dispute !== undefined
    const isHeld = isDisputed || isAlone
    this.#isDisputed = isDisputed
    this.#beganMs = isHeld ? heldMs : agreedMs
    this.#step = isHeld && !isDisputed ? {} : undefined
    this.#isProbeDue = false
    this.#probeLater()
    const trouble = clockTrouble(this.#log.partition, this.describe())
    if (trouble !== undefined) this.#work.trouble(`${trouble.what}. ${trouble.advice}`)
    // Without an owner since the last frame, or since the one here had an append without an answer.
    const before = Math.max(state.at, this.#aliveUntilMs)
    const dispute = isHeld ? { dispute: { storeMs, nodeMs } } : {}
    return {
      isAlone,
      record: (turn, now) => {
        const gapMs = before === 0 ? 0 : Math.max(0, now - before)
        decide(turn, { type: 'ResumeClock', now, gapMs, ...dispute })
      },
    }
  }

  /** The ownership ended, or is interrupted. */
  end(): void {
    this.#step = undefined
    this.#cancelProbe()
  }

  /** This owner worked until an append that began at `monotonicMs`. */
  aliveUntil(monotonicMs: number): void {
    this.#aliveUntilMs = Math.floor(this.#beganMs - (this.#stepping?.ms ?? 0) + monotonicMs - this.#fencedMs)
  }

  /** Records that nothing could be stored since the last append, which began at `monotonicMs`: leases are lengthened by that time. */
  goOn(monotonicMs: number): { readonly at: number; readonly record: (turn: Turn<BodyRef>) => void } {
    const now = this.now()
    const gapMs = now - this.at(monotonicMs)
    return { at: now, record: (turn) => decide(turn, { type: 'ResumeClock', now, gapMs }) }
  }

  /** Takes a step back whose frame the log does not hold. */
  recovered(isStored: (seq: number) => boolean): void {
    const stepping = this.#stepping
    this.#stepping = undefined
    if (stepping !== undefined && !isStored(stepping.seq)) this.#beganMs -= stepping.ms
  }

  /** Partition time at another reading of the monotonic clock, in ms: what that counted is no step. */
  at(monotonicMs: number): number {
    return Math.floor(this.#beganMs + monotonicMs - this.#fencedMs)
  }

  /** Everything up to `seq` is stored. */
  stored(seq: number): void {
    if (this.#stepping?.seq === seq) this.#stepping = undefined
    if (!this.#isProbeDue) return
    this.#isProbeDue = false
    void this.#probe(seq)
  }

  /** Takes an operator's word on which clock is right; false when nothing is disputed. */
  confirm(step: ClockStep): boolean {
    if (!this.#isDisputed || this.#step?.token !== undefined) return false
    this.#step = step
    return true
  }

  /** Moves partition time on. Returns the time before, and what is to be decided then in frame `seq`, alone. */
  takeStep(seq: number): { readonly at: number; readonly decide: (turn: Turn<BodyRef>) => void } {
    const { clock, by, token } = this.#step!
    this.#step = undefined
    this.#isDisputed = false
    this.#cancelProbe()
    const at = this.now()
    const { storeMs, nodeMs } = this.#read(at)
    const to = Math.max(at, clock === 'node' ? nodeMs : storeMs)
    const steppedMs = to - at
    this.#beganMs += steppedMs
    this.#stepping = { seq, ms: steppedMs }
    const confirmed = clock === undefined || by === undefined ? {} : { clock, by }
    return {
      at,
      decide: (turn) => {
        decide(turn, { type: 'ResumeClock', now: to, gapMs: steppedMs, ...confirmed })
        if (token !== undefined) turn.ok(token, { steppedMs })
      },
    }
  }

  /** The store's clock in ms, by when it was last read. */
  storeMs(): number {
    return this.#clocks.timeMs + Math.floor(this.#time.monotonicMs() - this.#clocks.monotonicMs)
  }

  describe(): PartitionClock {
    const clocks = this.#read(this.now())
    const isAhead = clocks.partitionMs - Math.max(clocks.storeMs, clocks.nodeMs) > limits.clockDisputeMs
    return { state: this.#isDisputed ? 'disputed' : isAhead ? 'ahead' : 'agreed', ...clocks }
  }

  #read(partitionMs: number): Omit<PartitionClock, 'state'> {
    return { partitionMs, storeMs: this.storeMs(), nodeMs: Math.floor(this.#time.wallMs()) }
  }

  /** While the clocks disagree, has them read again with a frame. */
  #probeLater(): void {
    this.#cancelProbe()
    if (!this.#isDisputed) return
    this.#cancelProbe = this.#time.after(limits.clockCheckMs, () => {
      if (!this.#work.isActive()) return
      if (!this.#work.isFull()) {
        this.#isProbeDue = true
        this.#work.probe()
      }
      this.#probeLater()
    })
  }

  /** Reads the clocks with a frame that was stored just now; where they agree again, time is what they say. */
  async #probe(seq: number): Promise<void> {
    const state = this.#state
    const [monotonicMs, wallMs] = [this.#time.monotonicMs(), this.#time.wallMs()]
    const stored = await this.#log.get(seq).catch(() => undefined)
    if (stored === undefined || this.#state !== state || !this.#work.isActive() || !this.#isDisputed) return
    this.#clocks = { timeMs: stored.timeMs, wallMs, monotonicMs }
    if (judgeClocks(this.now(), stored.timeMs, wallMs).isDisputed) return
    this.#step ??= {}
    this.#work.wake()
  }
}
