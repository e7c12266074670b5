import type { LogEvent, LogEventOf, Ranges } from '@kiroku/message'
import { runNumbers } from '@kiroku/partition'
import { laneOf, type Lane, type Lanes } from './Lanes.ts'
import type { Life, LifeState, Move } from './Life.ts'
import { QueueLedger, type Message } from './QueueLedger.ts'
import type { Stored, StoredBody } from './Stored.ts'

/** Where the messages of a send lie. */
export interface SendPlace {
  readonly queue: number
  /** In their order; those that were sent before have the number that they got then. */
  numbers: number[]
  /** Whether the log said all of it in one fact. */
  isWhole: boolean
  readonly seq: number
}

/** A delivery as the log has it. */
export interface DeliveryNote {
  readonly queue: number
  readonly sub: number
  readonly numbers: Ranges
  readonly seq: number
}

/** Who hears of every change of a message before it is noted. */
export type OnMove = (move: Move) => void

/**
 * What the stored frames of one partition say, noted without any of the engine's rules: what is wrong in the log
 * is wrong in here, for the checkers to see.
 */
export class Ledger {
  readonly partition: number
  readonly queues = new Map<number, QueueLedger>()
  /** By producer and number. */
  readonly sends = new Map<string, SendPlace>()
  readonly deliveries = new Map<number, DeliveryNote>()
  /** Redrives that began and have not ended, as `queue task`. */
  readonly redrives = new Set<string>()
  readonly lanes: Lanes = { left: new Map(), arrived: new Map() }
  epoch = 0
  at = 0
  readonly #trimmedTo: () => number
  /** Whether a repair kept what happened in records that nobody can read any more. */
  #isBridged = false
  /** Bodies that are waiting to be taken by the events of the frame, by queue. */
  #bodies = new Map<number, StoredBody[]>()

  /** @param trimmedTo last record that is not stored any more */
  constructor(partition: number, trimmedTo: () => number) {
    this.partition = partition
    this.#trimmedTo = trimmedTo
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
        this.#queue(e.queue).configure(e.config as never)
        return
      case 'QueueDeleted':
        this.#end(frame, e, this.#queue(e.queue), undefined, Number.POSITIVE_INFINITY, onMove)
        this.#queue(e.queue).isDeleted = true
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
      case 'PartPlaced':
        this.#queue(e.queue).home = e.home
        return
      case 'Repaired':
        this.#isBridged ||= e.hash !== ''
        return
      case 'SubscriptionFilled':
        return this.#queue(e.queue).filled(
          e.sub,
          frame.record.at,
          this.#isBridged ? undefined : this.#trimmedTo(),
        )
      case 'SubscriptionReset':
        return this.#reset(frame, e, onMove)
      case 'SubscriptionDeleted':
        return this.#over(frame, e, this.#queue(e.queue), e.sub, onMove)
      case 'Enqueued':
        return this.#enqueued(frame, e)
      case 'Deduplicated': {
        const place = this.#send(frame, e)
        place.numbers = [...each(e.answer)]
        place.isWhole = true
        return
      }
      case 'ForwardReceived':
        return this.#forwardReceived(frame, e)
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
      case 'ClockResumed':
        for (const life of this.#lives()) if (life.state === 'Inflight') life.leaseUntil += e.gapMs
        return
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
        return this.#numbered(frame, e, e.dueAt === 0 ? 'Available' : 'WaitingRetry', onMove)
      case 'Acked':
        return this.#numbered(frame, e, 'Committed', onMove)
      case 'Discarded':
        this.#numbered(frame, e, 'Discarded', onMove)
        // What was given up while it waited for its time waits for nobody who begins in the past either.
        for (const n of each(e.numbers)) this.#queue(e.queue).messages.get(n)!.dueAt = 0
        return
      case 'DeadLettered':
        this.#numbered(frame, e, 'DLQ', onMove)
        return this.#leaves(frame, e)
      case 'Redriven':
        this.#numbered(frame, e, 'Discarded', onMove)
        return this.#leaves(frame, e)
      case 'RedriveStarted':
        this.redrives.add(`${e.queue} ${e.task}`)
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
    message.isForgotten ||= to === 'Discarded'
    message.dueAt = event.type === 'Rescheduled' ? event.dueAt : 0
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
  }

  /** Everything of a generation is over. */
  #over(frame: Stored, event: LogEvent, queue: QueueLedger, sub: number, onMove: OnMove): void {
    this.#end(frame, event, queue, sub, Number.POSITIVE_INFINITY, onMove)
    queue.generations.get(sub)!.isOver = true
  }

  #move(move: Move, onMove: OnMove): void {
    onMove(move)
    const { life, event, frame } = move
    life.state = move.to
    life.sinceSeq = frame.seq
    switch (event.type) {
      case 'Delivered':
        life.attempt++
        life.attemptsMax = event.attemptsMax
        life.delivery = event.delivery
        life.leaseUntil = event.leaseUntil
        life.leasedMs = frame.sentMs
        life.isExtended = false
        return
      case 'LeaseExtended':
        life.leaseUntil = event.leaseUntil
        life.isExtended = true
        return
      case 'Released':
        life.attempt--
        return
      case 'Rescheduled':
      case 'RetryScheduled':
      case 'LeaseExpired':
        life.dueAt = event.dueAt
        return
    }
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
    for (const message of this.#enter(frame, queue, e.first, e.count)) {
      message.group = e.group ?? ''
      queue.begin(message, e.dueAt, frame.record.at, e.filteredBy)
    }
    const numbers = Array.from({ length: e.count }, (_, i) => e.first + i)
    const place = this.#send(frame, e)
    if (!place.isWhole) place.numbers.push(...numbers)
  }

  /** What is known of a send, all of whose facts stand in one frame. */
  #send(frame: Stored, e: { producer: string; send: number; queue: number }): SendPlace {
    const key = `${e.producer} ${e.send}`
    const known = this.sends.get(key)
    if (known?.seq === frame.seq) return known
    if (known !== undefined)
      throw new Error(`send ${key} is stored at ${known.seq} and again at ${frame.seq}`)
    const place: SendPlace = { queue: e.queue, numbers: [], isWhole: false, seq: frame.seq }
    this.sends.set(key, place)
    return place
  }

  #forwardReceived(frame: Stored, e: LogEventOf<'ForwardReceived'>): void {
    const queue = this.#queue(e.queue)
    const lane = laneOf(this.lanes.arrived, e.from, { partition: this.partition, queue: e.queue })
    let forward = e.forward
    for (const message of this.#enter(frame, queue, e.first, e.count)) {
      message.group = e.group ?? ''
      message.isForwarded = true
      queue.begin(message, 0, frame.record.at, e.filteredBy, e.only)
      lane.letters.push({ forward: forward++, label: message.label, seq: frame.seq })
    }
  }

  #leaves(frame: Stored, e: LogEventOf<'DeadLettered' | 'Redriven'>): void {
    const queue = this.#queue(e.queue)
    const lane: Lane = laneOf(this.lanes.left, { partition: this.partition, queue: e.queue }, e.target)
    let forward = e.forward
    for (const number of each(e.numbers)) {
      const message = queue.messages.get(number)!
      lane.letters.push({ forward: forward++, label: message.label, seq: frame.seq, message })
    }
  }

  *#enter(frame: Stored, queue: QueueLedger, first: number, count: number): Iterable<Message> {
    const labels = this.#bodies.get(queue.id)?.splice(0, count) ?? []
    for (let i = 0; i < count; i++) {
      const body = labels[i]
      if (body === undefined) throw new Error(`frame ${frame.seq} has no body for ${queue.id}/${first + i}`)
      yield queue.enter(first + i, body, frame.seq)
    }
  }

  #queue(id: number): QueueLedger {
    const queue = this.queues.get(id)
    if (queue === undefined) throw new Error(`an event names queue ${id}, which is not there`)
    return queue
  }

  *#lives(): Iterable<Life> {
    for (const queue of this.queues.values())
      for (const message of queue.messages.values()) yield* message.lives.values()
  }
}

export const isFinal = (state: LifeState): boolean =>
  state === 'Committed' || state === 'DLQ' || state === 'Discarded'

/** Every number of ranges. */
export function* each(ranges: Readonly<Ranges>): Iterable<number> {
  for (let i = 0; i < ranges.length; i += 2)
    for (let n = ranges[i]!, end = n + ranges[i + 1]!; n < end; n++) yield n
}

const total = (ranges: Ranges): number => {
  let count = 0
  for (let i = 1; i < ranges.length; i += 2) count += ranges[i]!
  return count
}
