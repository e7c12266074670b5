import { type LogEvent, type LogEventOf, type Ranges, runNumbers } from '@kiroku/protocol'
import { laneKey, laneOf, Lanes } from './Lanes.ts'
import { isFinal, type Life, type LifeState } from './Life.ts'
import { noteMove, type Move, type OnMove } from './Move.ts'
import { QueueLedger, type Message } from './QueueLedger.ts'
import { SendLedger } from './SendLedger.ts'
import type { Stored, StoredBody } from './Stored.ts'
import { each, isAmong, total } from './ranges.ts'

/** A delivery as the log has it. */
export interface DeliveryNote {
  readonly queue: number
  readonly sub: number
  readonly numbers: Ranges
  readonly seq: number
}

/**
 * What the stored frames of one partition say, noted without any of the engine's rules: what is wrong in the log
 * is wrong in here, for the checkers to see.
 */
export class Ledger {
  readonly partition: number
  readonly queues = new Map<number, QueueLedger>()
  readonly sends = new SendLedger()
  readonly deliveries = new Map<number, DeliveryNote>()
  /** Redrives that began and have not ended, as `queue task`, and whose messages they move. */
  readonly redrives = new Map<string, { readonly queue: number; readonly sub: number }>()
  readonly lanes: Lanes
  epoch = 0
  at = 0
  readonly #trimmedTo: () => number
  /** What a trim on record gave up, though it may still be stored. */
  #announcedTo = 0
  /** Whether a repair kept what happened in records that are no longer readable. */
  #isBridged = false
  /** Since when clocks disagree: partition time, and the first delivery since. */
  #dispute: { readonly from: number; readonly delivery: number } | undefined
  /** Bodies that are waiting to be taken by the events of the frame, by queue. */
  #bodies = new Map<number, StoredBody[]>()

  /** @param trimmedTo last record that is not stored any more */
  constructor(partition: number, trimmedTo: () => number) {
    this.partition = partition
    this.lanes = new Lanes(partition)
    this.#trimmedTo = trimmedTo
  }

  /** Whether clocks disagree since a while. */
  get isDisputed(): boolean {
    return this.#dispute !== undefined
  }

  queueNamed(name: string): QueueLedger | undefined {
    for (const queue of this.queues.values()) if (queue.name === name && !queue.isDeleted) return queue
    return undefined
  }

  /** Notes a frame; `labels` are the bodies of each queue in it. */
  take(frame: Stored, labels: Map<number, StoredBody[]>, onMove: OnMove): void {
    this.#bodies = labels
    for (const event of frame.record.events) this.#event(frame, event, onMove)
    this.at = frame.record.at
    this.epoch = frame.record.epoch
  }

  #event(frame: Stored, e: LogEvent, onMove: OnMove): void {
    switch (e.type) {
      case 'QueueCreated':
        this.queues.set(e.queue, new QueueLedger(this.partition, e.queue, e.name, e.config as never))
        return
      case 'QueueConfigured':
        this.#queue(e.queue).configure(e.config as never, frame.record.at)
        return
      case 'QueueNoted':
        return this.#queue(e.queue).note(e.notes)
      case 'QueueDeleted':
        this.#end(frame, e, this.#queue(e.queue), undefined, Number.POSITIVE_INFINITY, onMove)
        this.#queue(e.queue).isDeleted = true
        for (const [redrive, { queue }] of this.redrives) if (queue === e.queue) this.redrives.delete(redrive)
        return
      case 'QueuePurged':
        for (const message of this.#queue(e.queue).messages.values())
          if (message.number < e.upTo) {
            message.isForgotten = true
            message.dueAt = 0
          }
        return this.#end(frame, e, this.#queue(e.queue), undefined, e.upTo, onMove)
      case 'SubscriptionCreated':
        return this.#queue(e.queue).open(e.sub, e.name, e.settings, e.from, e.readFrom)
      case 'SubscriptionConfigured':
        this.#queue(e.queue).generations.get(e.sub)!.settings = e.settings
        this.#queue(e.queue).configured++
        return
      case 'RunsRestored':
        for (let i = 0; i < e.runs.length; i += runNumbers)
          for (const n of each(e.runs.slice(i, i + 2)))
            this.#queue(e.queue).restore(n, e.sub, 'Available', frame.seq)
        for (const n of each(e.filtered ?? [])) this.#queue(e.queue).restore(n, e.sub, 'Discarded', frame.seq)
        return
      case 'DeliveryHeld':
        this.#queue(e.queue).generations.get(e.sub)!.held = { since: frame.record.at, until: e.until }
        return
      case 'DeliveryResumed':
        for (const generation of this.#queue(e.queue).generations.values())
          if (e.sub === undefined || e.sub === generation.id) generation.held = { since: 0, until: 0 }
        return
      case 'PartPlaced':
        this.#queue(e.queue).home = e.home
        return
      case 'Repaired':
        this.#isBridged ||= e.hash !== ''
        return
      case 'Trimmed':
        this.#announcedTo = Math.max(this.#announcedTo, e.upTo)
        return
      case 'SubscriptionFilled':
        return this.#queue(e.queue).filled(
          e.sub,
          frame.record.at,
          this.#isBridged ? undefined : Math.max(this.#announcedTo, this.#trimmedTo()),
        )
      case 'SubscriptionReset':
        return this.#reset(frame, e, onMove)
      case 'SubscriptionDeleted':
        return this.#over(frame, e, this.#queue(e.queue), e.sub, onMove)
      case 'Enqueued':
        return this.#enqueued(frame, e)
      case 'Deduplicated': {
        const place = this.sends.place(frame, e)
        place.numbers = [...each(e.answer)]
        place.isWhole = true
        return
      }
      case 'ForwardReceived':
        return this.#forwardReceived(frame, e)
      case 'Readdressed':
        return this.lanes.readdressed(e)
      case 'BodyEdited': {
        const message = this.#queue(e.queue).messages.get(e.number)!
        const [edited] = this.#bodies.get(e.queue)?.splice(0, 1) ?? []
        message.label = edited!.label
        message.bodySeq = edited!.seq
        return
      }
      case 'BodiesCarried': {
        // They are stored again under the numbers that they have.
        const carried = this.#bodies.get(e.queue)?.splice(0, total(e.numbers)) ?? []
        let i = 0
        for (const n of each(e.numbers)) this.#queue(e.queue).messages.get(n)!.bodySeq = carried[i++]!.seq
        return
      }
      case 'LettersCarried': {
        const carried = this.#bodies.get(e.source)?.splice(0, total(e.forwards)) ?? []
        return this.lanes.carried(e, carried)
      }
      case 'Erased':
        for (const message of this.#queue(e.queue).messages.values())
          message.isErased ||=
            e.group === undefined ? isAmong(e.numbers!, message.number) : message.group === e.group
        return
      case 'ClockResumed':
        for (const life of this.#lives()) if (life.state === 'Inflight') life.leaseUntil += e.gapMs
        return this.#resumed(e)
      case 'Delivered':
        this.deliveries.set(e.delivery, { queue: e.queue, sub: e.sub, numbers: e.numbers, seq: frame.seq })
        return this.#numbered(frame, e, 'Inflight', onMove)
      case 'LeaseExtended':
        return this.#numbered(frame, e, 'Inflight', onMove)
      case 'DelayElapsed':
        return this.#elapse(frame, e, onMove)
      case 'Recalled':
        return this.#whileDelayed(frame, e, 'Discarded', onMove)
      case 'Rescheduled':
        return this.#whileDelayed(frame, e, 'Delayed', onMove)
      case 'Released':
      case 'RetryDue':
        return this.#numbered(frame, e, 'Available', onMove)
      case 'RetryScheduled':
      case 'LeaseExpired':
      case 'Deferred':
        return this.#numbered(frame, e, e.dueAt === 0 ? 'Available' : 'WaitingRetry', onMove)
      case 'Acked':
        return this.#numbered(frame, e, 'Committed', onMove)
      case 'Discarded':
        this.#numbered(frame, e, 'Discarded', onMove)
        // What was given up while it waited for its time never comes to who begins in the past either.
        for (const n of each(e.numbers)) {
          const message = this.#queue(e.queue).messages.get(n)!
          message.isGivenUp ||= message.dueAt !== 0
          message.dueAt = 0
        }
        return
      case 'DeadLettered':
        this.#numbered(frame, e, 'DLQ', onMove)
        return this.lanes.leaves(frame, e, this.#queue(e.queue))
      case 'Redriven':
        this.#numbered(frame, e, 'Discarded', onMove)
        return this.lanes.leaves(frame, e, this.#queue(e.queue))
      case 'RedriveStarted':
        this.redrives.set(`${e.queue} ${e.task}`, { queue: e.queue, sub: e.sub })
        return
      case 'RedriveEnded':
        this.redrives.delete(`${e.queue} ${e.task}`)
        return
    }
  }

  #numbered(
    frame: Stored,
    event: LogEvent & { queue: number; sub: number; numbers: Ranges },
    to: LifeState,
    onMove: OnMove,
  ): void {
    const queue = this.#queue(event.queue)
    for (const number of each(event.numbers)) {
      const message = queue.messages.get(number)
      const life = message?.lives.get(event.sub)
      if (message === undefined || life === undefined)
        throw new Error(`${event.type} at ${frame.seq} of ${queue.id}/${number}, which never came in`)
      this.#move({ frame, event, queue, message, sub: event.sub, life, to }, onMove)
    }
  }

  /** The end of a delay is one fact for all subscriptions. */
  #elapse(frame: Stored, event: LogEventOf<'DelayElapsed'>, onMove: OnMove): void {
    const queue = this.#queue(event.queue)
    for (const number of each(event.numbers)) {
      const message = queue.messages.get(number)
      if (message === undefined)
        throw new Error(`${event.type} of ${queue.id}/${number}, which never came in`)
      message.dueAt = 0
      for (const [sub, life] of message.lives) {
        if (queue.generations.get(sub)!.isOver) continue
        const to = event.filteredBy?.includes(sub) === true ? 'Discarded' : 'Available'
        this.#move({ frame, event, queue, message, sub, life, to }, onMove)
        queue.lineUp(message, sub, life)
      }
    }
  }

  /** What befalls a delayed message befalls it for all subscriptions. */
  #whileDelayed(
    frame: Stored,
    event: LogEventOf<'Recalled' | 'Rescheduled'>,
    to: LifeState,
    onMove: OnMove,
  ): void {
    const queue = this.#queue(event.queue)
    const message = queue.messages.get(event.number)
    if (message === undefined)
      throw new Error(`${event.type} of ${queue.id}/${event.number}, which never came in`)
    this.sends.heard(frame, event.producer)
    message.isForgotten ||= to === 'Discarded'
    message.dueAt = event.type === 'Rescheduled' ? event.dueAt : 0
    message.delayMs = 0
    for (const [sub, life] of message.lives)
      if (!queue.generations.get(sub)!.isOver)
        this.#move({ frame, event, queue, message, sub, life, to }, onMove)
  }

  #reset(frame: Stored, e: LogEventOf<'SubscriptionReset'>, onMove: OnMove): void {
    const queue = this.#queue(e.queue)
    const before = queue.named(e.name)
    if (before === undefined) throw new Error(`${e.type} at ${frame.seq} of "${e.name}", which is not there`)
    this.#over(frame, e, queue, before.id, onMove)
    queue.open(e.sub, e.name, before.settings, e.from, e.readFrom)
    queue.generations.get(e.sub)!.held = before.held
  }

  /** Everything of a generation has ended. */
  #over(frame: Stored, event: LogEvent, queue: QueueLedger, sub: number, onMove: OnMove): void {
    this.#end(frame, event, queue, sub, Number.POSITIVE_INFINITY, onMove)
    queue.generations.get(sub)!.isOver = true
    for (const [redrive, moves] of this.redrives)
      if (moves.queue === queue.id && moves.sub === sub) this.redrives.delete(redrive)
  }

  #move(move: Move, onMove: OnMove): void {
    onMove(move)
    noteMove(move, this.#dispute?.delivery ?? 0)
  }

  /** Ends what is not final below `upTo`, of one generation or of all. */
  #end(
    frame: Stored,
    event: LogEvent,
    queue: QueueLedger,
    only: number | undefined,
    upTo: number,
    onMove: OnMove,
  ): void {
    for (const message of queue.messages.values()) {
      if (message.number >= upTo) continue
      for (const [sub, life] of message.lives)
        if (!isFinal(life.state) && (only === undefined || only === sub))
          this.#move({ frame, event, queue, message, sub, life, to: 'Discarded' }, onMove)
    }
  }

  #enqueued(frame: Stored, e: LogEventOf<'Enqueued'>): void {
    const queue = this.#queue(e.queue)
    const place = this.sends.place(frame, e)
    const { dedup, dedupScope } = queue.configOf(0)
    for (const message of this.#enter(frame, queue, e.first, e.count)) {
      message.group = e.group ?? ''
      queue.begin(message, e.dueAt, frame.record.at, e.filteredBy)
      if (dedup !== 'off') message.knownIn = dedupScope === 'queue' ? '' : message.group
      if (place.earlier !== undefined) this.sends.again.add(message.label)
    }
    const numbers = Array.from({ length: e.count }, (_, i) => e.first + i)
    if (!place.isWhole) place.numbers.push(...numbers)
  }

  #forwardReceived(frame: Stored, e: LogEventOf<'ForwardReceived'>): void {
    const queue = this.#queue(e.queue)
    const lane = laneOf(this.lanes.arrived, e.from, { partition: this.partition, queue: e.queue })
    let forward = e.forward
    for (const message of this.#enter(frame, queue, e.first, e.count)) {
      message.group = e.group ?? ''
      message.isForwarded = true
      message.origin = { source: e.from, lane: laneKey(e.from, lane.target), forward }
      queue.begin(message, 0, frame.record.at, e.filteredBy, e.only)
      message.isFromOriginal = queue.configOf(0).retentionFrom === 'original'
      if (message.isFromOriginal) message.retainedFrom = e.enqueuedAt[forward - e.forward]!
      lane.letters.push({ forward: forward++, label: message.label, seq: frame.seq })
    }
  }

  *#enter(frame: Stored, queue: QueueLedger, first: number, count: number): Iterable<Message> {
    const labels = this.#bodies.get(queue.id)?.splice(0, count) ?? []
    for (let i = 0; i < count; i++) {
      const body = labels[i]
      if (body === undefined) throw new Error(`frame ${frame.seq} has no body for ${queue.id}/${first + i}`)
      yield queue.enter(first + i, body, frame)
    }
  }

  #queue(id: number): QueueLedger {
    const queue = this.queues.get(id)
    if (queue === undefined) throw new Error(`an event names queue ${id}, which is not there`)
    return queue
  }

  /**
   * While clocks disagree, it is unknown how much time passes; what came meanwhile does not age by what is
   * found out later.
   */
  #resumed({ now, gapMs, dispute }: LogEventOf<'ClockResumed'>): void {
    const { from, delivery } = this.#dispute ?? { from: Infinity, delivery: Infinity }
    for (const queue of this.queues.values()) {
      for (const generation of queue.generations.values()) {
        const { since, until } = generation.held
        if (since >= from) generation.held = { since: since + gapMs, until: until + gapMs }
      }
      for (const message of queue.messages.values()) {
        const isYoung = message.enqueuedAt >= from
        if (message.retainedFrom >= from) message.retainedFrom += gapMs
        for (const life of message.lives.values())
          if (life.state === 'Delayed' ? isYoung : life.state === 'WaitingRetry' && life.delivery >= delivery)
            life.dueAt += gapMs
        if (!isYoung) continue
        message.enqueuedAt += gapMs
        if (message.dueAt !== 0) message.dueAt += gapMs
      }
    }
    this.sends.stepped(from, gapMs)
    const next = Math.max(0, ...this.deliveries.keys()) + 1
    this.#dispute = dispute === undefined ? undefined : (this.#dispute ?? { from: now, delivery: next })
  }

  *#lives(): Iterable<Life> {
    for (const queue of this.queues.values())
      for (const message of queue.messages.values()) yield* message.lives.values()
  }
}
