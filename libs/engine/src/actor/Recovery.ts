import type { PartitionLog } from '@kiroku/log'
import { KirokuError } from '@kiroku/protocol'
import type { Metrics } from '../Metrics.ts'
import type { Time } from '../Time.ts'
import type { Append } from '../append/AppendPipeline.ts'
import { fence, isOver, otherOwnerBehind, sameRecord, type Fenced } from '../append/fence.ts'
import { asKirokuError } from '../asKirokuError.ts'
import type { TailNotes } from '../checkpoint/TailNotes.ts'
import { load, type Loaded } from '../checkpoint/load.ts'
import { isDamage } from '../isDamage.ts'
import { limits } from '../limits.ts'
import type { Life } from './Life.ts'

/** What recovery works with. */
interface RecoveryOptions {
  readonly log: PartitionLog
  readonly node: string
  readonly time: Time
  readonly lockFresh: () => boolean
  readonly tailNotes?: TailNotes | undefined
}

/** The last record that is known to be stored. */
interface Stored {
  readonly seq: number
  readonly hash: Uint8Array
}

/**
 * How an owner gets its partition: fences the log, then rebuilds the state from it. At the start, and again whenever
 * appends failed, since what of them the log holds is not known before.
 */
export class Recovery {
  readonly #o: RecoveryOptions
  readonly #life: Life
  readonly #metrics: Metrics
  #fenced: Fenced | undefined

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
    const epochBefore = tailNotes?.epoch(log.partition)
    this.#fenced = await fence(log, node, time, lockFresh, () => this.#stopped(), epochBefore)
    this.#life.send('FENCE_STORED', `epoch ${this.#fenced.epoch}`)
    const begunMs = time.monotonicMs()
    const loaded = await load(log, this.#fenced.seq)
    await tailNotes?.check(log, loaded.state.repairedEpoch)
    this.#metrics.replayEvents = loaded.events
    this.#metrics.replaySeconds = (time.monotonicMs() - begunMs) / 1_000
    return loaded
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
      async () => this.#stopped() ?? (await this.#overtaken(from, epoch)),
      0,
      reason.slice(0, limits.fenceReasonCharactersMax),
    )
    if (this.#life.state !== 'Fencing') return undefined
    this.#life.send('FENCE_STORED', `epoch ${this.#fenced.epoch}`)
    if (!(await this.#holds(stored)))
      throw new KirokuError(
        'LogShortened',
        `partition ${log.partition}: record ${stored.seq} was stored, and the log has lost it`,
      )
    let found = 0
    while (found < appends.length && (await this.#holds(appends[found]!))) found++
    return found
  }

  /** Rebuilds the state up to the last fence. */
  reload(): Promise<Loaded> {
    return load(this.#o.log, this.#fenced!.seq)
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

  async #holds({ seq, hash }: Stored): Promise<boolean> {
    const stored = await this.#o.log.get(seq)
    return stored !== undefined && !stored.foreign && sameRecord(stored.data, hash)
  }

  /** An owner that was told to stop must not take the partition from the next one. */
  #stopped(): KirokuError | undefined {
    const { state } = this.#life
    return state === 'Fencing'
      ? undefined
      : new KirokuError('NotOwner', `partition ${this.#o.log.partition} is ${state} here`)
  }

  /** Another owner's fence behind our appends means that the partition is no longer ours. */
  async #overtaken(fromSeq: number, epoch: number): Promise<KirokuError | undefined> {
    const { log, node } = this.#o
    const other = await otherOwnerBehind(log, fromSeq, epoch, node)
    return other === undefined
      ? undefined
      : new KirokuError('Fenced', `partition ${log.partition} is owned by ${other} now`)
  }
}
