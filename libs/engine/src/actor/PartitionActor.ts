import { describeQueues, Ownership, type PartitionState, type QueueState } from '@kiroku/partition'
import {
  type Answer,
  type Command,
  KirokuError,
  type PartitionDescription,
  type QueueDescription,
  type Reply,
  type UndeliveredItem,
} from '@kiroku/protocol'
import type { Metrics } from '../Metrics.ts'
import { AppendPipeline, type Append } from '../append/AppendPipeline.ts'
import type { Loaded } from '../checkpoint/StateLoad.ts'
import { isDamage } from '../isDamage.ts'
import { limits } from '../limits.ts'
import type { OwnerTask } from '../tasks/OwnerTask.ts'
import type { ActorOptions } from './ActorOptions.ts'
import { actorParts, type ActorParts } from './ActorParts.ts'
import { beginParts } from './beginParts.ts'
import { HandOver } from './HandOver.ts'
import { Life } from './Life.ts'
import { Recovery } from './Recovery.ts'
import { Request } from './Request.ts'
import type { ActorState } from './lifecycle.ts'
import { describeOwned } from './describeOwned.ts'

/**
 * The owner of one partition: gathers commands, decides them all at once, appends one frame, answers when it is
 * stored. Nothing it says rests on anything that is not in the log. This class is its life: taking over, recovering,
 * handing over, ending. The intake takes commands in, the turn loop decides them, the answer gate lets answers out.
 */
export class PartitionActor {
  readonly partition: number
  readonly #o: ActorOptions
  readonly #life: Life
  readonly #parts: ActorParts
  readonly #recovery: Recovery
  readonly #handOver: HandOver
  #own: Ownership | undefined
  #pipeline!: AppendPipeline
  /** The last record that is stored. */
  #storedSeq = 0
  #storedHash!: Uint8Array
  /** Why the log does not confirm, and since when, in monotonic ms. */
  #unconfirmed = { sinceMs: 0, reason: '' }
  #quarantine = new KirokuError('Quarantined', 'the partition is closed')
  #ended: (error: KirokuError | undefined) => void = () => {}
  /** Resolves when this ownership ended: without an error after a hand-over. */
  readonly ended: Promise<KirokuError | undefined>

  constructor(options: ActorOptions) {
    this.#o = options
    this.partition = options.log.partition
    this.ended = new Promise((resolve) => (this.#ended = resolve))
    this.#life = new Life(options.onState)
    this.#parts = actorParts(options, this.#life, {
      describe: () => this.describe(),
      decided: () => {
        for (const task of this.#tasks) task.decided?.()
      },
      turned: () => this.#handOver.check(),
      ended: (error) => this.#end(error),
      damaged: (error) => this.#fail(error),
    })
    this.#handOver = new HandOver(this.#parts, this.#life, options)
    this.#recovery = new Recovery(options, this.#life, this.metrics)
  }

  /** State of the actor's life. */
  get life(): ActorState {
    return this.#life.state
  }
  /** Epoch of this ownership; 0 before it began. */
  get epoch(): number {
    return this.#own?.state.epoch ?? 0
  }
  /** What this ownership remembers, for checks; never change it. */
  get ownership(): Ownership {
    return this.#own!
  }
  /** The state as it was decided so far, for metrics and checks; never change it. */
  get state(): PartitionState {
    return this.#own!.state
  }
  /** Whether a state was rebuilt. */
  get hasState(): boolean {
    return this.#own !== undefined
  }
  /** Whether there is something to describe that is this owner's. */
  get isDescribable(): boolean {
    const { life } = this
    return life === 'Quarantined' || (this.hasState && life !== 'Released' && life !== 'Fenced')
  }
  get metrics(): Metrics {
    return this.#parts.metrics
  }
  /** What it would take of a core to replay what the next owner has to, in ms; an estimate. */
  get replayMs(): number {
    return this.#parts.checkpoints.replayMs
  }
  get #tasks(): readonly OwnerTask[] {
    return this.#parts.tasks
  }

  /** Partition time in ms. */
  now(): number {
    return this.#parts.partitionTime.now()
  }

  /** Takes the partition over and rebuilds its state. Errors: what makes the ownership impossible; `Quarantined` states stay to be asked. */
  async start(): Promise<void> {
    const lockedMs = this.#o.time.monotonicMs()
    this.#life.send('LOCKED', 'the lock is ours')
    try {
      const loaded = await this.#recovery.takeOver()
      const lastAt = loaded.state.at
      this.#begin(loaded, 0)
      this.metrics.takeOverSeconds = (this.#o.time.monotonicMs() - lockedMs) / 1_000
      // The first owner of all came after nobody.
      if (lastAt > 0) this.metrics.withoutOwnerSeconds = Math.max(0, this.now() - lastAt) / 1_000
    } catch (e) {
      const error = await this.#recovery.verdict(e)
      this.#end(error)
      throw error
    }
  }

  /** Begins to decide and append on top of the fence. */
  #begin(loaded: Loaded, reachedMs: number): void {
    for (const { seq, why } of loaded.passedOver)
      this.#o.onTrouble?.(`checkpoint ${seq} is skipped: ${why}; an older state and the log take its place`)
    const { state } = loaded
    const fenced = this.#recovery.fenced!
    const own = new Ownership(state, this.#o.partitions)
    this.#own = own
    if (this.life !== 'Recovering') return
    this.#storedSeq = fenced.seq
    this.#storedHash = fenced.hash
    this.#pipeline = new AppendPipeline(this.#o.log, fenced, this, this.metrics, this.#o.time)
    beginParts(this.#parts, {
      loaded,
      fenced,
      own,
      pipeline: this.#pipeline,
      reachedMs,
      recordBytesMax: this.#o.log.recordBytesMax,
      recovered: () => this.#life.send('RECOVERED', `at sequence ${fenced.seq}`),
    })
  }

  /** Hands commands in; resolves when all of them are answered. */
  request(commands: readonly Command[]): Promise<Reply> {
    const request = new Request(commands.length)
    const { life } = this
    if (!this.#life.isActive) {
      this.#recovery.demand++
      const error =
        life === 'Quarantined'
          ? this.#quarantine
          : new KirokuError('NotOwner', `partition ${this.partition} is ${life} here`)
      for (let i = 0; i < commands.length; i++) request.answer(i, this.#describeOr(commands[i]!, error), 0, 0)
      return request.reply
    }
    const { intake, loop } = this.#parts
    const refused = this.#refusedSends()
    for (let i = 0; i < commands.length; i++)
      if (refused !== undefined && commands[i]!.type === 'Enqueue')
        request.answer(i, { error: refused.toWire() }, this.epoch, this.#storedSeq)
      else intake.accept(commands[i]!, { request, index: i })
    loop.wake()
    return request.reply
  }

  /** Why no more sends are taken; undefined: they are. */
  #refusedSends(): KirokuError | undefined {
    if (this.life !== 'Confirming') return undefined
    const { sinceMs, reason } = this.#unconfirmed
    const ms = this.#o.time.monotonicMs() - sinceMs
    if (ms < limits.unconfirmedSendsMsMax) return undefined
    const what = `partition ${this.partition} has stored nothing for ${Math.floor(ms / 1_000)} s: ${reason}`
    return new KirokuError('Unavailable', what)
  }

  #describeOr(command: Command, error: KirokuError): Answer {
    const known = this.hasState || this.life === 'Quarantined'
    return command.type === 'DescribePartition' && known ? { ok: this.describe() } : { error: error.toWire() }
  }

  /** Gives back a delivery that reached no consumer; it costs no attempt. */
  undelivered(delivery: UndeliveredItem): void {
    this.#parts.deliverer.giveBack(delivery)
  }

  /** An append is stored, and so is everything before it. */
  landed(append: Append): void {
    const { seq } = append
    const { cache, gate, partitionTime, checkpoints, loop } = this.#parts
    this.#storedSeq = seq
    this.#storedHash = append.hash
    cache.stored(seq)
    gate.stored(append)
    partitionTime.stored(seq)
    checkpoints.stored(seq)
    for (const task of this.#tasks) task.stored?.(seq)
    this.#o.tailNotes?.note(this.partition, append, this.epoch, this.#o.time.monotonicMs())
    this.#handOver.check()
    loop.wake()
  }

  /** Appends failed: what of them the log holds is not known. */
  failed(appends: readonly Append[]): void {
    const [{ error, begunMs }] = appends as [Append]
    const { loop, notes, partitionTime } = this.#parts
    if (this.life !== 'Active') return this.#end(error)
    const reason = error?.message ?? 'an append failed'
    this.#unconfirmed = { sinceMs: begunMs, reason }
    this.#life.send('APPEND_FAILED', reason)
    loop.end()
    notes.end()
    // Until its first frame is stored an ownership has lengthened no lease: what came before it is still to be counted.
    if (this.#storedSeq > this.#recovery.fenced!.seq) partitionTime.aliveUntil(begunMs)
    this.#recover(appends, error!).catch((e: unknown) => this.#fail(e))
  }

  /** Has the appends stored after all and goes on with the state there is; where that is not possible: fences, then replays. */
  async #recover(appends: readonly Append[], failure: KirokuError): Promise<void> {
    const { gate, partitionTime, storage } = this.#parts
    const stored = { seq: this.#storedSeq, hash: this.#storedHash }
    // While clocks disagree, what came in the time without an owner is moved behind a fence.
    const why = this.state.dispute === undefined ? await this.#recovery.confirm(appends, stored) : failure
    if (this.life !== 'Confirming') return
    if (why === undefined) return this.#goOn(appends)
    const error = why.id === 'Fenced' ? failure : why
    if (error.id === 'StorageFull') storage.refused()
    this.#life.send('UNCONFIRMED', error.message)
    const found = await this.#recovery.fenceBehind(appends, stored, error.message)
    if (found === undefined) return
    const answer =
      error.id === 'StorageFull'
        ? error
        : new KirokuError('Unavailable', 'the log did not confirm in time; nothing was lost')
    partitionTime.recovered((seq) => appends.slice(0, found).some((append) => append.seq === seq))
    gate.failed(appends, found, answer)
    this.#abandon(answer)
    const loaded = await this.#recovery.reload()
    this.#begin(loaded, partitionTime.at(this.#recovery.fenced!.monotonicMs))
  }

  /** Goes on with the state there is, behind appends that are stored by now. */
  #goOn(appends: readonly Append[]): void {
    const { loop, notes, partitionTime } = this.#parts
    this.#life.send('CONFIRMED', `${appends.length} appends are stored after all`)
    const { at, record } = partitionTime.goOn(appends.at(-1)!.begunMs)
    loop.decideAlone(record, at)
    notes.begin(this.state)
    this.#pipeline.confirmed(appends)
    loop.wake()
  }

  /** Hands the partition over: nothing new is taken, what the next owner needs is stored, what is under way finishes. */
  async drain(): Promise<void> {
    if (this.life === 'Active') {
      this.#life.send('DRAIN', 'handing over')
      const error = new KirokuError('NotOwner', `partition ${this.partition} is handed over`)
      await this.#handOver.finish(this.#own!, error)
      this.#life.send('DRAINED', 'handed over')
    } else this.#life.send('DRAIN', 'stopped')
    this.#end(undefined)
    await this.#o.tailNotes?.flush(this.partition)
  }

  #fail(e: unknown): void {
    void this.#recovery.verdict(e).then((error) => this.#end(error))
  }

  #end(error: KirokuError | undefined): void {
    const { cache, loop, notes, storage } = this.#parts
    loop.end()
    notes.end()
    this.#handOver.end()
    storage.stop()
    cache.end()
    if (error !== undefined) {
      const closed = `partition ${this.partition} is closed: ${error.message}`
      this.#quarantine = new KirokuError('Quarantined', closed, { cause: error })
      this.#life.send(isDamage(error) ? 'DAMAGED' : 'OVERTAKEN', error.message)
    }
    this.#abandon(new KirokuError('NotOwner', `partition ${this.partition} is ${this.life} here`))
    this.#ended(error)
  }

  /** Lets go of everything that waits: answers that never left, receives, mail. */
  #abandon(error: KirokuError): void {
    const { partitionTime, writer, mailbox, checkpoints, gate } = this.#parts
    partitionTime.end()
    writer.end()
    mailbox.clear()
    checkpoints.end()
    for (const task of this.#tasks) task.end()
    gate.refuseAll(error)
  }

  /** Its queues as they were decided so far, page by page: none before there is a state, and no more once it is another one's. */
  *describeQueues(): Generator<readonly QueueDescription[]> {
    const own = this.#own
    if (own === undefined) return
    const left = own.state.queues.values()
    while (own === this.#own) {
      const page: QueueState[] = []
      for (const queue of left) if (page.push(queue) === limits.describedQueues) break
      if (page.length === 0) return
      yield describeQueues(own.state, page, this.now(), own)
    }
  }

  /** The partition as status commands show it. */
  describe(): PartitionDescription {
    const { life, epoch } = this
    const { node } = this.#o
    const epochAt = this.#recovery.fenced?.timeMs ?? 0
    const memory = this.#o.stateMemory.describe()
    const owned = { node, life, epoch, epochAt, storedSeq: this.#storedSeq, memory }
    return describeOwned(this.partition, owned, this.#own, this.#parts)
  }
}
