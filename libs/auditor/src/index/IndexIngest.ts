import { actOf, type ReplayFrame, type ReplayListener } from '@kiroku/audit'
import { countsOf, type PartitionState, type QueueState } from '@kiroku/partition'
import { effectOf, type LogEvent, type QueueAddress, type Ranges, rangesInclude } from '@kiroku/protocol'
import { FrameTally } from '../history/FrameTally.ts'
import { BodyIndexer, type ReadLargeBody } from './BodyIndexer.ts'
import type { IndexWriter } from './IndexWriter.ts'
import { MessageRows } from './MessageRows.ts'
import { PartitionRows, wholePartition } from './PartitionRows.ts'
import { seedRows } from './seedRows.ts'

/** Turns what a replay sees of one partition into rows of the index. */
export class IndexIngest implements ReplayListener {
  readonly #writer: IndexWriter
  readonly #partition: number
  readonly #rows: PartitionRows
  readonly #messages: MessageRows
  readonly #bodies: BodyIndexer
  readonly #tally = new FrameTally()
  #reachedSeq: number
  #reachedHash: Uint8Array | undefined
  /** Up to here it knows only the resulting state, not what happened. */
  #beganSeq: number
  #knownFrom: number
  #isStale = false

  constructor(writer: IndexWriter, partition: number, readLarge: ReadLargeBody) {
    this.#writer = writer
    this.#partition = partition
    this.#rows = new PartitionRows(writer, partition)
    this.#bodies = new BodyIndexer(this.#rows, readLarge)
    const reached = writer.reached(partition)
    this.#reachedSeq = reached?.seq ?? 0
    this.#reachedHash = reached?.hash
    this.#messages = new MessageRows(this.#rows, reached?.events ?? 0)
    this.#beganSeq = reached?.began ?? 0
    this.#knownFrom = reached?.knownFrom ?? 0
  }

  /** What the index has of the partition no longer fits the log: it must be rebuilt from the beginning. */
  get isStale(): boolean {
    return this.#isStale
  }
  /** Sequence up to which the index has everything. */
  get reachedSeq(): number {
    return this.#reachedSeq
  }
  /** Changes of messages indexed so far. */
  get events(): number {
    return this.#messages.changes
  }

  /** Enters the messages of a state: where the record begins in the middle, it is the only source. */
  seed(state: PartitionState, seq: number): void {
    let waiting = 0
    for (const queue of state.queues.values()) {
      const own = waitingIn(queue)
      this.#writer.history.begin(this.#rows.queue(queue.id), own)
      waiting += own
      this.#rows.nameQueue(queue.id, queue.name, queue.recorded, 0)
      if (queue.nextNumber > 1) this.#bodies.leftOut(queue.id, true)
    }
    this.#writer.history.begin(this.#rows.queue(wholePartition), waiting)
    seedRows(this.#writer, state, seq, (sub) => this.#rows.stream(sub.queue.id, sub.id, sub.name))
    this.#reachedSeq = seq
    this.#beganSeq = seq
    this.#knownFrom = state.at
  }

  event(event: LogEvent, index: number, frame: ReplayFrame, state: PartitionState): void {
    if (frame.seq <= this.#reachedSeq || this.#isStale) return
    const act = actOf(event, frame.seq, index, state)
    if (act !== undefined) this.#writer.act(act)
    this.#tally.event(event, state)
    this.#apply(event, frame, state)
  }

  frame({ seq, record }: ReplayFrame, state: PartitionState): void | Promise<void> {
    if (this.#isStale) return
    if (seq <= this.#reachedSeq) {
      if (seq === this.#reachedSeq && this.#reachedHash !== undefined)
        this.#isStale = Buffer.compare(this.#reachedHash, record.hash) !== 0
      return
    }
    this.#rows.endFrame()
    this.#reachedSeq = seq
    if (this.#bodies.hasLarge) return this.#bodies.readLarge().then(() => this.#reach(record.hash, state))
    this.#reach(record.hash, state)
  }

  lost(seq: number, upTo: number, bridged: boolean): void {
    if (upTo <= this.#reachedSeq || this.#isStale) return
    this.#writer.lost(this.#partition, seq, upTo)
    // What happened in between is lost: messages of a bridged part stay as they were last seen.
    if (bridged) this.#reachedSeq = upTo
  }

  restarted(seq: number): void {
    if (seq < this.#reachedSeq) this.#isStale = true
    else this.#isStale ||= seq > this.#reachedSeq
  }

  #reach(hash: Uint8Array, state: PartitionState): void {
    this.#reachedHash = hash
    const { history } = this.#writer
    this.#tally.take((queue, counts) => {
      for (const id of [queue, wholePartition])
        history.add(this.#rows.queue(id), state.at, this.#reachedSeq, counts)
    })
    this.#writer.reach(this.#partition, {
      seq: this.#reachedSeq,
      at: state.at,
      hash,
      events: this.#messages.changes,
      began: this.#beganSeq,
      knownFrom: this.#knownFrom,
    })
    if (this.#writer.isFull) this.#writer.flush()
    this.#rows.forgetDeleted()
  }

  #apply(e: LogEvent, frame: ReplayFrame, state: PartitionState): void {
    const { seq } = frame
    const rows = this.#rows
    const effect = effectOf(e)
    if (effect !== undefined && 'queue' in e) {
      if (e.type === 'Enqueued' || e.type === 'ForwardReceived')
        return this.#bodies.arrived(e, frame, state, this.#messages.arrived(e, seq, state))
      if (e.type === 'RunsRestored') return this.#messages.restored(e, seq, state)
      if (effect.kind === 'change') {
        this.#messages.changed(e.queue, effect, seq, state)
        if (e.type === 'BodyEdited') this.#bodies.edited(e, frame, state)
        return
      }
      this.#messages.ended(state.queues.get(e.queue), effect, seq, state)
      this.#deleted(e, seq, state)
      if (e.type === 'SubscriptionReset') rows.stream(e.queue, e.sub, e.name)
      return rows.touchWhole(e.queue, seq)
    }
    switch (e.type) {
      case 'QueueCreated':
      case 'QueueConfigured': {
        const name = e.type === 'QueueCreated' ? e.name : (state.queues.get(e.queue)?.name ?? '')
        rows.nameQueue(e.queue, name, e.config, seq)
        return rows.touchWhole(e.queue, seq)
      }
      case 'SubscriptionCreated':
        rows.stream(e.queue, e.sub, e.name)
        return rows.touchWhole(e.queue, seq)
      case 'Erased':
        return e.numbers === undefined ? rows.touchWhole(e.queue, seq) : rows.touch(e.queue, e.numbers, seq)
      case 'RedriveStarted':
      case 'KeysDeleted':
        return rows.touchWhole(e.queue, seq)
      case 'Readdressed':
        return this.#touchLetters(e.source, e.from, e.forwards, seq, state)
      case 'LettersCarried':
        return this.#touchLetters(e.source, e.target, e.forwards, seq, state)
      case 'ClockResumed':
      case 'Repaired':
        return rows.touchWhole(wholePartition, seq)
      case 'Trimmed':
        this.#knownFrom = this.#writer.trim(this.#partition, e.upTo) ?? this.#knownFrom
        return
      default:
        // An event of a newer version may concern messages all the same.
        if ('numbers' in e && 'queue' in e)
          rows.touch((e as { queue: number }).queue, (e as { numbers: Ranges }).numbers, seq)
    }
  }

  /** Notes what an event deletes as a whole. */
  #deleted(e: LogEvent, seq: number, state: PartitionState): void {
    if (e.type === 'QueueDeleted') {
      this.#rows.deleted(e.queue, undefined, seq)
      this.#bodies.deleted(e.queue)
    } else if (e.type === 'SubscriptionDeleted') this.#rows.deleted(e.queue, e.sub, seq)
    else if (e.type === 'SubscriptionReset') {
      const before = state.queues.get(e.queue)?.named(e.name)
      if (before !== undefined) this.#rows.deleted(e.queue, before.id, seq)
    }
  }

  /** Letters waiting in a lane belong to the traces of their original messages. */
  #touchLetters(
    source: number,
    target: QueueAddress,
    forwards: Ranges,
    seq: number,
    state: PartitionState,
  ): void {
    const lane = state.lane(source, target)
    for (const { forward, number } of lane?.entries ?? [])
      if (rangesInclude(forwards, forward)) this.#rows.touch(source, [number, 1], seq)
  }
}

const waitingIn = (queue: QueueState): number => {
  const { available, inflight, waitingRetry } = countsOf(queue)
  return available + inflight + waitingRetry
}
