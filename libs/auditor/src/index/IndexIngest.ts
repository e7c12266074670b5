import { actOf, type ReplayFrame, type ReplayListener } from '@kiroku/audit'
import { isSealed, readSealed } from '@kiroku/log'
import {
  countsOf,
  laneKey,
  runNumbers,
  type PartitionState,
  type QueueState,
  type Subscription,
} from '@kiroku/partition'
import {
  bodyOf,
  decodeEnvelope,
  type EnvelopeMeta,
  isKirokuError,
  type LogEvent,
  type LogEventOf,
  parseMessageId,
  type QueueAddress,
  type QueueConfig,
  type Ranges,
  State,
} from '@kiroku/protocol'
import { FrameTally } from '../history/FrameTally.ts'
import { limits } from '../limits.ts'
import type { IndexWriter, Stream } from './IndexWriter.ts'
import type { Row } from './Row.ts'
import { fieldsOf } from './fieldsOf.ts'
import { seedRows } from './seedRows.ts'

/** Reads a body that has a record of its own, as it stands in the log. */
export type ReadLargeBody = (seq: number) => Promise<Uint8Array | undefined>

/** A body that is to be looked into once its frame was applied. */
interface LargeBody {
  readonly queue: number
  readonly number: number
  readonly rows: readonly Row[]
  readonly seq: number
  readonly indexes: Indexing
}

/** Which bodies of a queue are looked into: all, those of messages whose first queue asks for it, or none, since they are hidden. */
type Indexing = 'all' | 'origins' | 'none'

const indexingOf = ({ config: { indexBody, bodyHidden } }: QueueState): Indexing =>
  indexBody === 'on' ? 'all' : bodyHidden === 'on' ? 'none' : 'origins'

/** The queue whose touches concern the whole partition. */
const wholePartition = 0

const bucketOf = (n: number): number => Math.floor(n / limits.bucketMessages)

/** Turns what a pass sees of one partition into rows of the index. */
export class IndexIngest implements ReplayListener {
  readonly #writer: IndexWriter
  readonly #partition: number
  readonly #readLarge: ReadLargeBody
  /** Queue ids of the index, by those of the partition. */
  readonly #queues = new Map<number, number>()
  readonly #streams = new Map<number, Map<number, Stream>>()
  readonly #large: LargeBody[] = []
  /** Of queues that do not ask for it: whether they hold bodies that are not indexed all the same. */
  readonly #leftOut = new Map<number, boolean>()
  #reachedSeq: number
  #reachedHash: Uint8Array | undefined
  /** Up to here it knows only what was left, not what happened. */
  #beganSeq: number
  #knownFrom: number
  #events: number
  #isStale = false
  readonly #tally = new FrameTally()
  /** Buckets that the frame touched already: queue, bucket. */
  #touchedQueue = -1
  #touchedBucket = -2

  constructor(writer: IndexWriter, partition: number, readLarge: ReadLargeBody) {
    this.#writer = writer
    this.#partition = partition
    this.#readLarge = readLarge
    const reached = writer.reached(partition)
    this.#reachedSeq = reached?.seq ?? 0
    this.#reachedHash = reached?.hash
    this.#events = reached?.events ?? 0
    this.#beganSeq = reached?.began ?? 0
    this.#knownFrom = reached?.knownFrom ?? 0
  }

  /** What the index has of the partition no longer fits the log: it must be built anew, from the beginning. */
  get isStale(): boolean {
    return this.#isStale
  }
  /** Sequence up to which the index has everything. */
  get reachedSeq(): number {
    return this.#reachedSeq
  }
  /** Changes of messages that the index has seen. */
  get events(): number {
    return this.#events
  }

  /** Enters what a state knows: where a record begins in the middle, nothing else tells of it. */
  seed(state: PartitionState, seq: number): void {
    let waiting = 0
    for (const queue of state.queues.values()) {
      const own = waitingIn(queue)
      this.#writer.history.begin(this.#queue(queue.id), own)
      waiting += own
      this.#nameQueue(queue.id, queue.name, queue.recorded, 0)
      if (queue.nextNumber > 1) this.#bodyLeftOut(queue.id, true)
    }
    this.#writer.history.begin(this.#queue(wholePartition), waiting)
    seedRows(this.#writer, state, seq, (sub) => this.#stream(sub.queue.id, sub.id, sub.name))
    this.#reachedSeq = seq
    this.#beganSeq = seq
    this.#knownFrom = state.at
  }

  #whenFull(): void {
    if (this.#writer.isFull) this.#writer.flush()
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
    this.#touchedQueue = -1
    this.#reachedSeq = seq
    if (this.#large.length > 0) return this.#readLargeBodies().then(() => this.#reach(record.hash, state))
    this.#reach(record.hash, state)
  }

  lost(seq: number, upTo: number, bridged: boolean): void {
    if (upTo <= this.#reachedSeq || this.#isStale) return
    this.#writer.lost(this.#partition, seq, upTo)
    // What happened in between is known to nobody: messages of a bridged part stay as they were last seen.
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
        history.add(this.#queue(id), state.at, this.#reachedSeq, counts)
    })
    this.#writer.reach(this.#partition, {
      seq: this.#reachedSeq,
      at: state.at,
      hash,
      events: this.#events,
      began: this.#beganSeq,
      knownFrom: this.#knownFrom,
    })
    this.#whenFull()
  }

  #apply(e: LogEvent, frame: ReplayFrame, state: PartitionState): void {
    const { seq } = frame
    switch (e.type) {
      case 'Enqueued':
      case 'ForwardReceived':
        return this.#arrived(e, frame, state)
      case 'Delivered':
        return this.#moved(e, seq, state, State.Inflight, { attempt: 1, consumer: e.consumer })
      case 'Acked':
        return this.#moved(e, seq, state, State.Committed)
      case 'RetryScheduled':
        return this.#moved(e, seq, state, e.dueAt === 0 ? State.Available : State.WaitingRetry, {
          error: e.error,
        })
      case 'LeaseExpired':
        return this.#moved(e, seq, state, e.dueAt === 0 ? State.Available : State.WaitingRetry)
      case 'RetryDue':
        return this.#moved(e, seq, state, State.Available)
      case 'Released':
        return this.#moved(e, seq, state, State.Available, { attempt: -1 })
      case 'Deferred':
        return this.#moved(e, seq, state, e.dueAt === 0 ? State.Available : State.WaitingRetry, {
          attempt: -1,
          error: e.error,
        })
      case 'DeadLettered':
        return this.#moved(e, seq, state, State.DLQ, {
          reason: e.cause,
          error: e.error,
          target: e.target,
          forward: e.forward,
        })
      case 'Discarded':
        return this.#moved(e, seq, state, State.Discarded, { reason: e.reason, error: e.error })
      case 'Redriven':
        return this.#moved(e, seq, state, State.Discarded, {
          reason: 'redriven',
          target: e.target,
          forward: e.forward,
        })
      case 'Readdressed':
        return this.#touchLetters(e.source, e.from, e.forwards, seq, state)
      case 'LettersCarried':
        return this.#touchLetters(e.source, e.target, e.forwards, seq, state)
      case 'LeaseExtended':
      case 'BodiesCarried':
        return this.#touch(e.queue, e.numbers, seq)
      case 'BodyEdited':
        return this.#edited(e, frame, state)
      case 'DelayElapsed':
        return this.#delayElapsed(e, seq, state)
      case 'Recalled':
      case 'Rescheduled':
        return this.#revised(e, seq, state)
      case 'Deduplicated':
        for (const n of e.originals) this.#touch(e.queue, [n, 1], seq)
        return
      case 'RunsRestored':
        return this.#restored(e, seq, state)
      case 'QueueCreated':
        this.#nameQueue(e.queue, e.name, e.config, seq)
        return this.#touchWhole(e.queue, seq)
      case 'QueueConfigured':
        this.#nameQueue(e.queue, state.queues.get(e.queue)?.name ?? '', e.config, seq)
        return this.#touchWhole(e.queue, seq)
      case 'QueuePurged':
        this.#endQueue(state.queues.get(e.queue), e.upTo, seq, state)
        return this.#touchWhole(e.queue, seq)
      case 'QueueDeleted':
        this.#endQueue(state.queues.get(e.queue), Infinity, seq, state)
        return this.#touchWhole(e.queue, seq)
      case 'SubscriptionReset':
        this.#endSubscription(state.queues.get(e.queue)?.named(e.name), Infinity, seq, state)
        this.#stream(e.queue, e.sub, e.name)
        return this.#touchWhole(e.queue, seq)
      case 'SubscriptionDeleted':
        this.#endSubscription(state.subscriptionOf(e.queue, e.sub), Infinity, seq, state)
        return this.#touchWhole(e.queue, seq)
      case 'SubscriptionCreated':
        this.#stream(e.queue, e.sub, e.name)
        return this.#touchWhole(e.queue, seq)
      case 'RedriveStarted':
        return this.#touchWhole(e.queue, seq)
      case 'Erased':
        return e.numbers === undefined ? this.#touchWhole(e.queue, seq) : this.#touch(e.queue, e.numbers, seq)
      case 'KeysDeleted':
        return this.#touchWhole(e.queue, seq)
      case 'ClockResumed':
      case 'Repaired':
        return this.#writer.touch(this.#queue(wholePartition), -1, seq)
      case 'Trimmed':
        this.#knownFrom = this.#writer.trim(this.#partition, e.upTo) ?? this.#knownFrom
        return
      default:
        if ('numbers' in e)
          this.#touch((e as { queue: number }).queue, (e as { numbers: Ranges }).numbers, seq)
    }
  }

  #arrived(e: LogEventOf<'Enqueued' | 'ForwardReceived'>, frame: ReplayFrame, state: PartitionState): void {
    const { seq, record } = frame
    const { texts } = this.#writer
    const queue = state.queues.get(e.queue)!
    const { first, count, filteredBy } = e
    const { at } = state
    this.#touch(e.queue, [first, count], seq)
    this.#events += count
    const group = texts.text(e.group ?? '')
    const tag = texts.text(e.tag ?? '')
    const isSend = e.type === 'Enqueued'
    const producer = isSend ? texts.text(e.producer) : null
    const waits = isSend && e.dueAt > 0
    if (!isSend) this.#writer.forward(this.#queue(e.queue), e.from, e.forward, count, first)
    const place = queue.frameSeq === state.frameSeq ? queue.frameCount : 0
    const indexes = indexingOf(queue)
    const indexBody = indexes === 'all'
    if (isSend && !indexBody) this.#bodyLeftOut(e.queue, true)
    const { subs } = queue
    for (let i = 0; i < count; i++) {
      const n = first + i
      const rows: Row[] = []
      for (let s = 0; s < subs.length; s++) {
        const sub = subs[s]!
        const row = this.#writer.add(this.#stream(e.queue, sub.id, sub.name), n)
        const isFiltered = filteredBy?.includes(sub.id) === true
        row.state = isFiltered ? State.Discarded : waits ? State.Delayed : State.Available
        if (isFiltered) row.reason = texts.text('filtered')
        row.at = at
        row.seq = seq
        row.sentAt = at
        row.sentSeq = seq
        row.group = group
        row.tag = tag
        row.producer = producer
        rows.push(row)
      }
      const body = record.body(e.queue, place + i)
      if (body instanceof Uint8Array) {
        if (body[0] !== 0 || indexBody) this.#inside(e.queue, n, rows, body, indexes)
      } else {
        const own = indexBody ? 'origins' : indexes
        this.#large.push({ queue: e.queue, number: n, rows, seq: body.seq, indexes: own })
      }
    }
  }

  /** Looks at what travels beside a body, and into the body where its queue, or the one it was sent to, asks for that. */
  #inside(
    queue: number,
    number: number,
    rows: readonly Row[],
    envelope: Uint8Array,
    indexes: Indexing,
  ): void {
    // What is encrypted stays out of the index, which nobody erases anything from.
    const isLocked = isSealed(envelope)
    let wanted = indexes === 'all'
    if (envelope[0] !== 0) {
      const meta = isLocked
        ? ((readSealed(envelope).head.meta ?? {}) as EnvelopeMeta)
        : decodeEnvelope(envelope).meta
      wanted ||= indexes === 'origins' && this.#originIndexes(meta)
      const attributes = attributesOf(meta)
      const { lineage } = meta
      const { texts } = this.#writer
      for (const row of rows) {
        row.attributes = attributes
        if (typeof meta.group === 'string') row.group ??= texts.text(meta.group)
        if (typeof meta.tag === 'string') row.tag ??= texts.text(meta.tag)
        if (typeof lineage !== 'object') continue
        row.origin = String(lineage.messageId)
        row.redrives = Number(lineage.redrives ?? 0) || 0
      }
    }
    if (wanted && !isLocked) this.#writer.fields(this.#queue(queue), number, fieldsOf(bodyOf(envelope)))
    if (indexes !== 'all') this.#bodyLeftOut(queue, !wanted || isLocked)
  }

  /** Whether a message was first sent to a queue that has bodies indexed; one that was not read yet may be such a queue. */
  #originIndexes({ lineage }: EnvelopeMeta): boolean {
    if (typeof lineage?.messageId !== 'string') return false
    try {
      return this.#writer.indexesBodies(parseMessageId(lineage.messageId)) ?? true
    } catch (e) {
      // Whoever wrote the envelope may have written anything.
      if (isKirokuError(e)) return false
      throw e
    }
  }

  /** It is found by what its new body says too. */
  #edited(e: LogEventOf<'BodyEdited'>, { seq, record }: ReplayFrame, state: PartitionState): void {
    this.#touch(e.queue, [e.number, 1], seq)
    const queue = state.queues.get(e.queue)
    if (queue === undefined) return
    const body = record.body(e.queue, queue.frameSeq === state.frameSeq ? queue.frameCount : 0)
    if (!(body instanceof Uint8Array)) return
    const indexes = indexingOf(queue)
    if (indexes === 'all' || (indexes === 'origins' && this.#originIndexes(decodeEnvelope(body).meta)))
      this.#writer.fields(this.#queue(e.queue), e.number, fieldsOf(bodyOf(body)))
  }

  async #readLargeBodies(): Promise<void> {
    for (const { queue, number, rows, seq, indexes } of this.#large) {
      const envelope = await this.#readLarge(seq)
      if (envelope !== undefined) this.#inside(queue, number, rows, envelope, indexes)
    }
    this.#large.length = 0
  }

  #moved(
    e: { readonly queue: number; readonly sub: number; readonly numbers: Ranges },
    seq: number,
    state: PartitionState,
    to: State,
    change: {
      readonly attempt?: number
      readonly consumer?: string
      readonly error?: string
      readonly reason?: string
      readonly target?: { readonly partition: number; readonly queue: number }
      readonly forward?: number
    } = {},
  ): void {
    const sub = state.subscriptionOf(e.queue, e.sub)
    if (sub === undefined) return
    const { numbers } = e
    const writer = this.#writer
    const stream = this.#stream(e.queue, e.sub, sub.name)
    const consumer = change.consumer === undefined ? null : writer.texts.text(change.consumer)
    const error = change.error === undefined ? null : writer.texts.error(change.error)
    const reason = change.reason === undefined ? null : writer.texts.text(change.reason)
    const step = change.attempt ?? 0
    const { target } = change
    let forward = change.forward ?? 0
    this.#touch(e.queue, numbers, seq)
    for (let i = 0; i < numbers.length; i += 2)
      for (let n = numbers[i]!, end = n + numbers[i + 1]!; n < end; n++) {
        let row = writer.pending(stream, n)
        if (row === undefined) {
          row = writer.change(stream, n)
          const slot = state.live.find(sub.index, n)
          row.attempt = slot < 0 ? 0 : state.live.attempt[slot]!
        }
        row.state = to
        row.attempt += step
        row.at = state.at
        row.seq = seq
        row.reason = reason
        if (consumer !== null) row.consumer = consumer
        if (error !== null) row.error = error
        if (target !== undefined) row.next = `${target.partition}/${target.queue}/${forward++}`
        this.#events++
      }
  }

  #touchLetters(
    source: number,
    target: QueueAddress,
    forwards: Ranges,
    seq: number,
    state: PartitionState,
  ): void {
    const lane = state.outbox.get(laneKey(source, target))
    for (const { forward, number } of lane?.entries ?? [])
      if (rangeHolds(forwards, forward)) this.#touch(source, [number, 1], seq)
  }

  #delayElapsed(e: LogEventOf<'DelayElapsed'>, seq: number, state: PartitionState): void {
    this.#touch(e.queue, e.numbers, seq)
    this.#eachOfQueue(state, e.queue, e.numbers, seq, (row, sub) => {
      const isFiltered = e.filteredBy?.includes(sub.id) === true
      row.state = isFiltered ? State.Discarded : State.Available
      row.reason = isFiltered ? this.#writer.texts.text('filtered') : null
    })
  }

  #revised(e: LogEventOf<'Recalled' | 'Rescheduled'>, seq: number, state: PartitionState): void {
    const numbers = [e.number, 1]
    this.#touch(e.queue, numbers, seq)
    this.#eachOfQueue(state, e.queue, numbers, seq, (row) => {
      row.state = e.type === 'Recalled' ? State.Discarded : State.Delayed
      row.reason = e.type === 'Recalled' ? this.#writer.texts.text('recalled') : null
    })
  }

  /** Changes messages under every subscription that they are for. */
  #eachOfQueue(
    state: PartitionState,
    queue: number,
    numbers: Ranges,
    seq: number,
    change: (row: Row, sub: Subscription) => void,
  ): void {
    for (const sub of state.queues.get(queue)?.subs ?? []) {
      const stream = this.#stream(queue, sub.id, sub.name)
      for (let i = 0; i < numbers.length; i += 2)
        for (let n = Math.max(numbers[i]!, sub.from), end = numbers[i]! + numbers[i + 1]!; n < end; n++) {
          const row = this.#writer.pending(stream, n) ?? this.#writer.change(stream, n)
          row.at = state.at
          row.seq = seq
          change(row, sub)
          this.#events++
        }
    }
  }

  #restored(e: LogEventOf<'RunsRestored'>, seq: number, state: PartitionState): void {
    const name = state.subscriptionOf(e.queue, e.sub)?.name ?? ''
    const stream = this.#stream(e.queue, e.sub, name)
    const { texts } = this.#writer
    const { runs, filtered = [], groups } = e
    for (let i = 0; i < runs.length; i += runNumbers) {
      const [first, count, sentSeq, , sentAt] = runs.slice(i, i + runNumbers) as [
        number,
        number,
        number,
        number,
        number,
      ]
      this.#touch(e.queue, [first, count], seq)
      const group = texts.text(groups?.[i / runNumbers] ?? '')
      for (let n = first; n < first + count; n++) {
        const row = this.#writer.add(stream, n)
        row.at = state.at
        row.seq = seq
        row.sentAt = sentAt
        row.sentSeq = sentSeq
        row.group = group
        this.#events++
      }
    }
    this.#touch(e.queue, filtered, seq)
    for (let i = 0; i < filtered.length; i += 2)
      for (let n = filtered[i]!, end = n + filtered[i + 1]!; n < end; n++) {
        const row = this.#writer.add(stream, n)
        row.state = State.Discarded
        row.reason = texts.text('filtered')
        row.at = state.at
        row.seq = seq
        this.#events++
      }
  }

  #endQueue(queue: QueueState | undefined, below: number, seq: number, state: PartitionState): void {
    for (const sub of queue?.subs ?? []) this.#endSubscription(sub, below, seq, state)
  }

  #endSubscription(sub: Subscription | undefined, below: number, seq: number, state: PartitionState): void {
    if (sub === undefined) return
    const stream = this.#stream(sub.queue.id, sub.id, sub.name)
    this.#writer.endAll(stream, below, 'purged', state.at, seq)
  }

  #nameQueue(queue: number, name: string, config: object, seq: number): void {
    const { indexBody, bodyHidden } = config as Partial<QueueConfig>
    const id = this.#queue(queue)
    this.#writer.nameQueue(id, name, JSON.stringify(config), indexBody === 'on' ? seq : null)
    if (bodyHidden === 'on') this.#writer.forgetFields(id)
  }

  #bodyLeftOut(queue: number, isLeftOut: boolean): void {
    const before = this.#leftOut.get(queue)
    if (before === true || before === isLeftOut) return
    this.#leftOut.set(queue, isLeftOut)
    this.#writer.bodiesLeftOut(this.#queue(queue), isLeftOut)
  }

  #queue(queue: number): number {
    let id = this.#queues.get(queue)
    if (id === undefined) this.#queues.set(queue, (id = this.#writer.queue(this.#partition, queue)))
    return id
  }

  #stream(queue: number, sub: number, name: string): Stream {
    let ofQueue = this.#streams.get(queue)
    if (ofQueue === undefined) this.#streams.set(queue, (ofQueue = new Map<number, Stream>()))
    let stream = ofQueue.get(sub)
    if (stream === undefined) ofQueue.set(sub, (stream = this.#writer.stream(this.#queue(queue), sub, name)))
    return stream
  }

  #touch(queue: number, numbers: Ranges, seq: number): void {
    const id = this.#queue(queue)
    for (let i = 0; i < numbers.length; i += 2) {
      const last = bucketOf(numbers[i]! + numbers[i + 1]! - 1)
      for (let bucket = bucketOf(numbers[i]!); bucket <= last; bucket++) {
        if (id === this.#touchedQueue && bucket === this.#touchedBucket) continue
        this.#touchedQueue = id
        this.#touchedBucket = bucket
        this.#writer.touch(id, bucket, seq)
      }
    }
  }

  #touchWhole(queue: number, seq: number): void {
    this.#writer.touch(this.#queue(queue), -1, seq)
  }
}

const waitingIn = (queue: QueueState): number => {
  const { available, inflight, waitingRetry } = countsOf(queue)
  return available + inflight + waitingRetry
}

const rangeHolds = (ranges: Ranges, n: number): boolean =>
  ranges.some((first, i) => i % 2 === 0 && first <= n && n < first + ranges[i + 1]!)

const attributesOf = ({ attributes }: EnvelopeMeta): string | null =>
  typeof attributes === 'object' && Object.keys(attributes).length > 0 ? JSON.stringify(attributes) : null
