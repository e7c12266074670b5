import type { PartitionLog } from '@kiroku/log'
import { KirokuError } from '@kiroku/protocol'
import type { Metrics } from '../Metrics.ts'
import type { Time } from '../Time.ts'
import type { Append } from '../append/AppendPipeline.ts'
import { fence, isOver, otherOwnerBehind, type Fenced, type TriedFences } from '../append/fence.ts'
import { holds, mustHold, refusalAmong, storeAgain, type Stored } from '../append/storeAgain.ts'
import { asKirokuError } from '../asKirokuError.ts'
import type { LoadTurns } from '../checkpoint/LoadTurns.ts'
import type { StateAhead } from '../checkpoint/StateAhead.ts'
import type { TailNotes } from '../checkpoint/TailNotes.ts'
import type { Loaded } from '../checkpoint/StateLoad.ts'
import { load as loadState } from '../checkpoint/load.ts'
import { isDamage } from '../isDamage.ts'
import { limits } from '../limits.ts'
import type { Life } from './Life.ts'
import type { ActorState } from './lifecycle.ts'

/** What recovery works with. */
interface RecoveryOptions {
  readonly log: PartitionLog
  readonly node: string
  readonly time: Time
  readonly lockFresh: () => boolean
  readonly loads: LoadTurns
  /** The state as far as it was loaded before this ownership. */
  readonly ahead?: StateAhead | undefined
  readonly tailNotes?: TailNotes | undefined
}

/**
 * How an owner gets its partition: fences the log, then rebuilds the state from it. At the start, and again where appends
 * failed and sending them again does not help.
 */
export class Recovery {
  readonly #o: RecoveryOptions
  readonly #life: Life
  readonly #metrics: Metrics
  #fenced: Fenced | undefined
  /** Requests that came while there was no state. */
  demand = 0

  constructor(options: RecoveryOptions, life: Life, metrics: Metrics) {
    this.#o = options
    this.#life = life
    this.#metrics = metrics
  }

  /** The last fence; undefined before the first is stored. */
  get fenced(): Fenced | undefined {
    return this.#fenced
  }

  /** Takes the partition over. Errors: what makes the ownership impossible. */
  async takeOver(): Promise<Loaded> {
    const { log, node, time, lockFresh, tailNotes } = this.#o
    const before = { epoch: tailNotes?.epoch(log.partition), end: this.#o.ahead?.logEnd }
    this.#fenced = await fence(log, node, time, lockFresh, () => this.#stopped(), before)
    this.#life.send('FENCE_STORED', `epoch ${this.#fenced.epoch}`)
    const loaded = (await this.#fromAhead()) ?? (await this.reload())
    await tailNotes?.check(log, loaded.state.repairedEpoch)
    return loaded
  }

  /**
   * Has appends that were not confirmed stored, which leaves the state as it is. Returns why that is not possible: what of
   * them the log holds must be found out behind a fence then. Errors: `NotOwner`, `LogShortened`, `LogDamaged`.
   */
  async confirm(appends: readonly Append[], stored: Stored): Promise<KirokuError | undefined> {
    const { log, time } = this.#o
    return refusalAmong(appends) ?? storeAgain(log, appends, stored, time, () => this.#stopped('Confirming'))
  }

  /**
   * Fences behind appends that failed. Returns how many of them the log holds, the first ones; undefined: the ownership
   * ended meanwhile. Errors: `Fenced`, `LogShortened`, `LogDamaged`, and those of the fence.
   */
  async fenceBehind(appends: readonly Append[], stored: Stored, reason: string): Promise<number | undefined> {
    const { log, node, time, lockFresh } = this.#o
    const { epoch } = this.#fenced!
    const from = appends[0]!.seq
    this.#fenced = await fence(
      log,
      node,
      time,
      lockFresh,
      async (tried) => this.#stopped() ?? (await this.#overtaken(from, epoch, tried)),
      { reason: reason.slice(0, limits.fenceReasonCharactersMax) },
    )
    if (this.#life.state !== 'Fencing') return undefined
    this.#life.send('FENCE_STORED', `epoch ${this.#fenced.epoch}`)
    await mustHold(log, stored)
    let found = 0
    while (found < appends.length && (await holds(log, appends[found]!))) found++
    return found
  }

  /** What was loaded ahead, and the little behind it: there is no turn to wait for. */
  #fromAhead(): Promise<Loaded | undefined> {
    return this.#timed(async () => this.#o.ahead?.take(this.#fenced!))
  }

  /** Rebuilds the state up to the last fence, when it is this partition's turn. */
  reload(): Promise<Loaded> {
    const { loads, log } = this.#o
    return loads.run(
      () => this.demand,
      () => this.#timed(() => loadState(log, this.#fenced!.seq)),
    )
  }

  async #timed<A extends Loaded | undefined>(load: () => Promise<A>): Promise<A> {
    const { time } = this.#o
    const begunMs = time.monotonicMs()
    const loaded = await load()
    if (loaded !== undefined) {
      this.#metrics.replayEvents = loaded.events
      this.#metrics.replaySeconds = (time.monotonicMs() - begunMs) / 1_000
    }
    return loaded
  }

  /** What ended an ownership: damage found by an owner that was overtaken is none. */
  async verdict(e: unknown): Promise<KirokuError> {
    const error = asKirokuError(e)
    const { log } = this.#o
    if (!isDamage(error) || this.#fenced === undefined) return error
    const overtaken = await isOver(log, this.#fenced).catch(() => false)
    if (!overtaken) return error
    return new KirokuError('Fenced', `partition ${log.partition} is owned by another node now`, {
      cause: error,
    })
  }

  /** An owner that was told to stop must not take the partition from the next one. */
  #stopped(expected: ActorState = 'Fencing'): KirokuError | undefined {
    const { state } = this.#life
    return state === expected
      ? undefined
      : new KirokuError('NotOwner', `partition ${this.#o.log.partition} is ${state} here`)
  }

  /** Another owner's fence behind our appends means that the partition is no longer ours. */
  async #overtaken(fromSeq: number, epoch: number, tried: TriedFences): Promise<KirokuError | undefined> {
    const { log } = this.#o
    const other = await otherOwnerBehind(log, fromSeq, epoch, tried)
    return other === undefined
      ? undefined
      : new KirokuError('Fenced', `partition ${log.partition} is owned by ${other} now`)
  }
}
