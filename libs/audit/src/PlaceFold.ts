import {
  State,
  isFinal,
  stateNames,
  type LogEvent,
  type LogEventOf,
  type QueueAddress,
  type Ranges,
} from '@kiroku/message'
import type { QueueConfig } from '@kiroku/partition'
import { indexIn } from './ranges.ts'
import type { TraceStep } from './TraceStep.ts'

/** A place of a lineage: a queue and, as soon as it is known, the message's number there. */
export interface Place extends QueueAddress {
  readonly number?: number
  /** Of a message that comes from elsewhere: what makes its arrival known. */
  readonly arrives?: { readonly from: QueueAddress; readonly queue: string; readonly forward: number }
}

/** Where a dead letter went. */
export interface NextPlace extends Place {
  /** The frame that decided it. */
  readonly decidedSeq: number
}

interface QueueName {
  readonly name: string
  readonly config: Partial<Pick<QueueConfig, 'deadLetter'>>
}

type Detail = Omit<TraceStep, 'partition' | 'seq' | 'at' | 'queue' | 'number' | 'event' | 'state' | 'attempt'>

/** Collects what happens to one message at one place. Feed it the partition's frames in order. */
export class PlaceFold {
  readonly steps: TraceStep[] = []
  readonly #place: Place
  readonly #queues = new Map<number, QueueName>()
  #number: number | undefined
  #state: State = State.Available
  #attempt = 0
  #leaseUntil = 0
  #next: NextPlace | undefined
  #seq = 0
  #at = 0

  constructor(place: Place) {
    this.#place = place
    this.#number = place.number
  }

  /** Names a queue that the record itself names no more. */
  nameQueue(queue: number, name: string, config: Partial<Pick<QueueConfig, 'deadLetter'>>): void {
    this.#queues.set(queue, { name, config })
  }

  /** Name of the place's queue. */
  get queue(): string {
    return this.#queues.get(this.#place.queue)?.name ?? `#${this.#place.queue}`
  }
  /** State after the last step. */
  get state(): State {
    return this.#state
  }
  /** Where it went from here, once it was given up to a dead-letter queue. */
  get next(): NextPlace | undefined {
    return this.#next
  }

  /** Takes the events of one frame. */
  accept(seq: number, at: number, events: readonly LogEvent[]): void {
    this.#seq = seq
    this.#at = Math.max(at, this.#at)
    for (let i = 0; i < events.length; i++) this.#event(events[i]!)
  }

  #event(e: LogEvent): void {
    switch (e.type) {
      case 'QueueCreated':
        this.nameQueue(e.queue, e.name, e.config as Partial<QueueConfig>)
        return
      case 'QueueConfigured':
        this.nameQueue(
          e.queue,
          this.#queues.get(e.queue)?.name ?? `#${e.queue}`,
          e.config as Partial<QueueConfig>,
        )
        return
      case 'Repaired':
        if (e.hash === '') this.#void(e)
        return
      case 'ClockResumed':
        if (this.#state === State.Inflight && this.steps.length > 0 && e.gapMs > 0) {
          this.#leaseUntil += e.gapMs
          this.#step(e, State.Inflight, { leaseUntil: this.#leaseUntil })
        }
        return
      case 'OwnerChanged':
      case 'Checkpointed':
      case 'Trimmed':
      case 'ForeignRecordSkipped':
      case 'DeliveryPaused':
      case 'DeliveryResumed':
      case 'Forwarded':
        return
      default:
        if (e.queue === this.#place.queue) this.#ofQueue(e)
    }
  }

  #ofQueue(e: Extract<LogEvent, { queue: number }>): void {
    if (e.type === 'ForwardReceived') return this.#arrived(e)
    const n = this.#number
    if (n === undefined) return
    switch (e.type) {
      case 'Enqueued':
        if (n < e.first || n >= e.first + e.count) return
        return this.#step(e, e.dueAt === 0 ? State.Available : State.Delayed, {
          producer: e.producer,
          send: e.send,
          ...(e.dueAt === 0 ? {} : { dueAt: e.dueAt }),
        })
      case 'QueuePurged':
        if (n >= e.upTo || isFinal(this.#state)) return
        return this.#step(e, State.Discarded, { reason: 'purged', by: e.by })
      case 'QueueDeleted':
        if (isFinal(this.#state)) return
        return this.#step(e, State.Discarded, { reason: 'purged', cause: 'the queue was deleted', by: e.by })
      case 'QueueCreated':
      case 'QueueConfigured':
      case 'DeliveryPaused':
      case 'DeliveryResumed':
        return
      default: {
        const place = indexIn(e.numbers, n)
        if (place >= 0) this.#ofMessage(e, place)
      }
    }
  }

  #arrived(e: LogEventOf<'ForwardReceived'>): void {
    const { arrives } = this.#place
    if (this.#number === undefined) {
      if (arrives === undefined) return
      if (e.from.partition !== arrives.from.partition || e.from.queue !== arrives.from.queue) return
      const place = arrives.forward - e.forward
      if (place < 0 || place >= e.count) return
      this.#number = e.first + place
    } else if (this.#number < e.first || this.#number >= e.first + e.count) return
    this.#step(e, State.Available, {
      from: {
        partition: e.from.partition,
        queue: arrives?.queue ?? `#${e.from.queue}`,
        forward: e.forward + this.#number - e.first,
      },
    })
  }

  #ofMessage(e: Extract<LogEvent, { numbers: Ranges }>, place: number): void {
    switch (e.type) {
      case 'BodiesCarried':
        return this.#step(e, this.#state)
      case 'Delivered':
        this.#attempt++
        this.#leaseUntil = e.leaseUntil
        return this.#step(e, State.Inflight, {
          delivery: e.delivery,
          consumer: e.consumer,
          leaseUntil: e.leaseUntil,
        })
      case 'DelayElapsed':
      case 'RetryDue':
        return this.#step(e, State.Available)
      case 'LeaseExtended':
        this.#leaseUntil = e.leaseUntil
        return this.#step(e, State.Inflight, { leaseUntil: e.leaseUntil })
      case 'Released':
        this.#attempt--
        return this.#step(e, State.Available, { cause: e.cause })
      case 'Acked':
        return this.#step(e, State.Committed)
      case 'RetryScheduled':
        return this.#paused(e, e.dueAt, e.error === '' ? {} : { error: e.error })
      case 'LeaseExpired':
        return this.#paused(e, e.dueAt, {})
      case 'DeadLettered':
        return this.#deadLettered(e, e.forward + place)
      case 'Discarded':
        return this.#step(e, State.Discarded, {
          reason: e.reason,
          cause: e.cause,
          ...(e.error === '' ? {} : { error: e.error }),
        })
    }
  }

  #paused(e: LogEvent, dueAt: number, detail: Detail): void {
    if (dueAt === 0) this.#step(e, State.Available, detail)
    else this.#step(e, State.WaitingRetry, { ...detail, dueAt })
  }

  #deadLettered(e: LogEventOf<'DeadLettered'>, forward: number): void {
    const { partition, queue } = this.#place
    const configured = this.#queues.get(queue)?.config.deadLetter
    const named = configured?.partition === e.target.partition && configured.queue === e.target.queue
    this.#step(e, State.DLQ, {
      cause: e.cause,
      ...(e.error === '' ? {} : { error: e.error }),
      target: {
        partition: e.target.partition,
        queue: named ? configured.name : `#${e.target.queue}`,
        forward,
      },
    })
    this.#next = {
      ...e.target,
      decidedSeq: this.#seq,
      arrives: { from: { partition, queue }, queue: this.queue, forward },
    }
  }

  #step(e: LogEvent, state: State, detail: Detail = {}): void {
    this.#state = state
    this.steps.push({
      partition: this.#place.partition,
      seq: this.#seq,
      at: this.#at,
      queue: this.queue,
      number: this.#number!,
      event: e.type,
      state: stateNames[state],
      attempt: this.#attempt,
      ...detail,
    })
  }

  /** What a repair gave up never happened: the message is again where it was before. */
  #void({ from, upTo }: { readonly from: number; readonly upTo: number }): void {
    const { steps } = this
    let kept: TraceStep | undefined
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i]!
      if (step.seq >= from && step.seq <= upTo) steps[i] = { ...step, voided: true }
      else if (step.voided === undefined) kept = step
    }
    this.#state = kept === undefined ? State.Available : State[kept.state]
    this.#attempt = kept?.attempt ?? 0
    this.#leaseUntil = kept?.leaseUntil ?? 0
    if (kept === undefined) this.#number = this.#place.number
    if (this.#next !== undefined && this.#next.decidedSeq >= from && this.#next.decidedSeq <= upTo)
      this.#next = undefined
  }
}
