import { type Population } from '@kiroku/message'
import {
  describeQueues,
  evolve,
  restore,
  snapshot,
  stateHash,
  TransitionCounts,
  type PartitionState,
} from '@kiroku/partition'
import {
  firstPlace,
  isKirokuError,
  KirokuError,
  messageId,
  type QueueChange,
  State,
  type StateName,
} from '@kiroku/protocol'
import type { MomentMessage, QueueOverview } from '../past/QueueMoment.ts'
import { listMessages, type MessagePlace } from '../past/listMessages.ts'
import { momentMessage } from '../past/momentMessage.ts'
import { overviewOf } from '../past/overviewOf.ts'
import { populationOf } from '../past/populationOf.ts'
import { replayCost } from '../replay/replayCost.ts'
import { Keyframes } from './Keyframes.ts'
import type { RecordedFrame, RecordedJump, Recording, RecordingPart } from './Recording.ts'
import { decodeRecording } from './recordingBytes.ts'

/** A place in the replay: by sequence, or by partition time in ms (the last frame that is not later). */
export type ReplayTarget = { readonly seq: number } | { readonly at: number }

/** The position of a replay. */
export interface ReplayPosition {
  readonly seq: number
  /** Partition time in ms. */
  readonly at: number
}

/** A move of the replay. */
export interface ReplayMove extends ReplayPosition {
  /** What happened to each queue on the way. Absent when going back, and when frames are skipped. */
  readonly changes?: readonly QueueChange[]
}

/** A queue, or its part in this partition, at the replay's position. */
export interface ReplayedQueue extends QueueOverview {
  readonly population: Population
}

/** Which messages to show. */
export interface ReplayListOptions {
  /** Default: 100. */
  readonly max?: number
  /** `next` of the page before. */
  readonly after?: MessagePlace
  readonly states?: readonly StateName[]
  readonly subscription?: string
}

/** A page of messages. Forwarded ones have the id of their place in this queue. */
export interface ReplayedMessages {
  readonly messages: readonly MomentMessage[]
  readonly total: number
  readonly next?: MessagePlace
}

/** Limits of a replay. */
export interface ReplayLimits {
  /** Work (see `workOf`) of the steps that are kept; the oldest are dropped. */
  readonly workMax: number
  /** Least work between two kept states. */
  readonly keyframeWork: number
  /** Bytes for these states. */
  readonly keyframeBytesMax: number
}

/** A step, with the work of all steps up to it. */
type Step = (RecordedFrame | RecordedJump) & { readonly work: number }

const sharePerKeyframe = 0.1
/** A jump of more spacings than this starts from a kept state and does not report the way there. */
const farSpacings = 5

/**
 * Replays a partition from recordings, with the engine's own code, in a browser too. Going forward costs what
 * the frames cost; going back starts from one of the kept states.
 */
export class Replayer {
  static readonly limitsDefault: ReplayLimits = {
    workMax: 1_000_000,
    keyframeWork: 20_000,
    keyframeBytesMax: 256 * 1024 * 1024,
  }

  readonly #recording: Pick<Recording, 'incarnation' | 'partition'>
  readonly #limits: ReplayLimits
  readonly #keyframes: Keyframes
  readonly #counts = new TransitionCounts()
  #start: RecordingPart
  #end: RecordingPart
  #reachesEnd: boolean
  #steps: Step[] = []
  /** Work of the steps dropped at the front. */
  #workBefore = 0
  /** Steps applied so far. */
  #index = 0
  #state: PartitionState
  #keptWork = 0

  private constructor(recording: Recording, limits: ReplayLimits) {
    const { state, start, end, reachesEnd, incarnation, partition } = recording
    if (state === undefined)
      throw new KirokuError('InvalidArgument', 'a replay begins with a recording that has a state')
    this.#recording = { incarnation, partition }
    this.#limits = limits
    this.#keyframes = new Keyframes(limits.keyframeBytesMax)
    this.#keyframes.begin(state)
    this.#state = this.#keyframes.open(0)
    this.#start = start
    this.#end = end
    this.#reachesEnd = reachesEnd
    this.#add(recording)
    this.seek({ seq: recording.askedSeq })
  }

  /**
   * Begins with a recording that has a state (`state=1`), at the requested moment.
   * Errors: `InvalidArgument`, `FutureVersion`.
   */
  static open(bytes: Uint8Array, limits: Partial<ReplayLimits> = {}): Replayer {
    const recording = decodeRecording(bytes)
    try {
      return new Replayer(recording, { ...Replayer.limitsDefault, ...limits })
    } catch (cause) {
      if (isKirokuError(cause)) throw cause
      throw new KirokuError('InvalidArgument', 'this recording cannot be replayed', { cause })
    }
  }

  /**
   * Adds the recording requested from `next`. Errors: `InvalidArgument` when it does not continue where this
   * one ends, as after a repair: start over then.
   */
  extend(bytes: Uint8Array): void {
    const recording = decodeRecording(bytes)
    const { start, end, reachesEnd, incarnation, partition } = recording
    const own = this.#recording
    const isNext = start.seq === this.#end.seq && start.hash === this.#end.hash
    if (!isNext || incarnation !== own.incarnation || partition !== own.partition)
      throw new KirokuError(
        'InvalidArgument',
        `a recording from ${partition}/${start.seq} on does not continue where ${own.partition}/${this.#end.seq} ends`,
      )
    this.#end = end
    this.#reachesEnd = reachesEnd
    this.#add(recording)
    this.#dropOld()
  }

  get partition(): number {
    return this.#recording.partition
  }

  get position(): ReplayPosition {
    return this.#placeOf(this.#index)
  }

  /** `stateHash` of the state here; equals the engine's own at this place. */
  get hash(): string {
    return stateHash(snapshot(this.#state))
  }

  /** What it can show without another recording. */
  get range(): { readonly from: ReplayPosition; readonly to: ReplayPosition } {
    return { from: this.#placeOf(0), to: this.#placeOf(this.#steps.length) }
  }

  /** `from` of the recording that continues where this one ends; it needs no state. */
  get next(): number {
    return this.#end.seq
  }

  /** Whether the log had nothing more when it was last asked. */
  get reachesEnd(): boolean {
    return this.#reachesEnd
  }

  /** Whether a place is in the range. */
  covers(target: ReplayTarget): boolean {
    const { from, to } = this.range
    return 'seq' in target
      ? target.seq >= from.seq && (target.seq <= to.seq || this.#reachesEnd)
      : target.at >= from.at && (target.at < to.at || this.#reachesEnd)
  }

  /** Goes to a place, or to the end of the range that is nearest to it. */
  seek(target: ReplayTarget): ReplayMove {
    return this.#go(this.#indexOf(target))
  }

  /** Goes one frame forward or back. Undefined: the range ends here. */
  step(by: 1 | -1): ReplayMove | undefined {
    const index = this.#index + by
    return index < 0 || index > this.#steps.length ? undefined : this.#go(index)
  }

  /** Names of the queues that are here now. */
  queues(): string[] {
    return [...this.#state.names.keys()].sort()
  }

  /** The state of a queue. Undefined: it does not exist. */
  queue(name: string): ReplayedQueue | undefined {
    const state = this.#state
    const queue = state.names.get(name)
    if (queue === undefined) return undefined
    const description = describeQueues(state, [queue], state.at)[0]!
    const place = { partition: this.partition, queue: queue.id, seq: this.position.seq, at: state.at }
    const overview = overviewOf(name, state.at, [{ place, description }])
    return { ...overview, population: populationOf(overview.counts) }
  }

  /** A page of the messages of a queue that are not final. Undefined: it does not exist. */
  messages(
    name: string,
    { max = 100, after, states, subscription }: ReplayListOptions = {},
  ): ReplayedMessages | undefined {
    const queue = this.#state.names.get(name)
    if (queue === undefined) return undefined
    const list = listMessages(this.#state, queue, {
      max,
      ...(after === undefined ? {} : { after }),
      ...(states === undefined ? {} : { states: states.map((state) => State[state]) }),
      ...(subscription === undefined ? {} : { subscription }),
    })
    const { incarnation, partition } = this.#recording
    const here = { incarnation, partition, queue: queue.id }
    return {
      messages: list.messages.map((message) =>
        momentMessage(messageId({ ...here, number: message.number }), partition, message),
      ),
      total: list.total,
      ...(list.next === undefined ? {} : { next: list.next }),
    }
  }

  #add({ steps }: Recording): void {
    let work = this.#workUpTo(this.#steps.length)
    let { at } = this.#placeOf(this.#steps.length)
    for (const step of steps) {
      // Times of a partition never go back.
      at = Math.max(at, step.at)
      if ('events' in step) for (const event of step.events) work += replayCost(event)
      this.#steps.push({ ...step, at, work })
    }
  }

  #placeOf(index: number): ReplayPosition {
    const { seq, at } = index === 0 ? this.#start : this.#steps[index - 1]!
    return { seq, at }
  }

  #workUpTo(index: number): number {
    return index === 0 ? this.#workBefore : this.#steps[index - 1]!.work
  }

  /** How many steps are behind a place. */
  #indexOf(target: ReplayTarget): number {
    const steps = this.#steps
    return 'seq' in target
      ? firstPlace(steps.length, (place) => steps[place]!.seq > target.seq)
      : firstPlace(steps.length, (place) => steps[place]!.at > target.at)
  }

  #go(index: number): ReplayMove {
    const known = this.#keyframes.before(index)
    const isBack = index < this.#index
    const isFar = this.#workUpTo(known) - this.#workUpTo(this.#index) > farSpacings * this.#spacing
    const isAnew = isBack || isFar
    if (isAnew) {
      this.#state = this.#keyframes.open(index)
      this.#index = known
      this.#keptWork = this.#workUpTo(known)
    }
    const steps = this.#steps.slice(this.#index, index)
    // Nothing is counted on a way that is not reported.
    const isTold = !isAnew && steps.every((step) => 'events' in step)
    for (const step of steps) this.#apply(step, isTold)
    const place = this.position
    if (!isTold) this.#counts.restart()
    const news = this.#counts.take(this.#state)
    if (!isTold) return place
    const changes = news.kind === 'changes' ? news.queues : []
    return { ...place, changes: changes.map(({ id: _, ...change }) => change) }
  }

  #apply(step: Step, isTold: boolean): void {
    if ('state' in step) this.#state = restore(structuredClone(step.state))
    else {
      const state = this.#state
      const { seq, at, events } = step
      state.beginFrame(seq, at)
      for (const event of events) {
        if (isTold) this.#counts.event(event, state)
        evolve(state, event)
      }
    }
    this.#index++
    if (step.work - this.#keptWork < this.#spacing) return
    this.#keptWork = step.work
    this.#keyframes.keep(this.#index, this.#state)
  }

  /** A large state costs more to copy than a little replay does. */
  get #spacing(): number {
    const { live, runs } = this.#state
    return Math.max(this.#limits.keyframeWork, sharePerKeyframe * (live.used + runs.used))
  }

  /** Forgets the oldest steps, up to a kept state that was passed. */
  #dropOld(): void {
    const excess = this.#workUpTo(this.#steps.length) - this.#workBefore - this.#limits.workMax
    if (excess <= 0) return
    let wanted = this.#steps.findIndex(({ work }) => work >= this.#workBefore + excess) + 1
    wanted = this.#keyframes.before(Math.min(wanted, this.#index))
    if (wanted === 0) return
    const last = this.#steps[wanted - 1]!
    this.#start = { seq: last.seq, at: last.at, hash: '' }
    this.#workBefore = last.work
    this.#steps = this.#steps.slice(wanted)
    this.#index -= wanted
    this.#keyframes.dropBefore(wanted)
  }
}
