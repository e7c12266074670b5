import { runNumbers } from '@kiroku/partition'
import {
  type Actor,
  indexInRanges,
  isFinal,
  type LogEvent,
  type LogEventOf,
  type QueueAddress,
  type QueueConfig,
  type Ranges,
  State,
  stateNames,
  rangeTotal,
} from '@kiroku/protocol'
import type { TraceStep } from './TraceStep.ts'

/** A place of a lineage: a queue and, as soon as it is known, the message's number there. */
export interface LineageStop extends QueueAddress {
  readonly number?: number
  /** Of a message that comes from elsewhere: what makes its arrival known. */
  readonly arrives?: { readonly from: QueueAddress; readonly queue: string; readonly forward: number }
}

/** Where a dead letter or a redriven message went. */
export interface NextStop extends LineageStop {
  /** The frame that decided it. */
  readonly decidedSeq: number
}

/** The queue that a message was forwarded from, and the number of the forward. */
export interface Origin extends QueueAddress {
  readonly forward: number
}

/** How the message stands under one generation of a subscription. */
interface View {
  readonly sub: number
  readonly name: string
  state: State
  attempt: number
  leaseUntil: number
}

const mainSub = 0

interface QueueName {
  readonly name: string
  readonly config: Partial<Pick<QueueConfig, 'deadLetter'>>
}

type Detail = Omit<
  TraceStep,
  'partition' | 'seq' | 'at' | 'queue' | 'number' | 'event' | 'state' | 'attempt' | 'subscription'
>

/** Collects what happens to one message at one place. Feed it the partition's frames in order. */
export class MessageHistory {
  readonly steps: TraceStep[] = []
  readonly #place: LineageStop
  readonly #queues = new Map<number, QueueName>()
  #number: number | undefined
  /** What holds for all subscriptions, before any of them does something of its own. */
  #shared: View = newView(mainSub, '')
  /** Subscriptions that did something with it. */
  readonly #views = new Map<number, View>()
  /** Names of the queue's generations. */
  readonly #subs = new Map<number, string>([[mainSub, 'main']])
  /** Its message group. */
  #group: string | undefined
  /** Erasures of it whose keys are not deleted yet. */
  readonly #erasures = new Set<number>()
  /** Who began the queue's redrives. */
  readonly #redrivers = new Map<number, Actor>()
  readonly #nexts: NextStop[] = []
  #origin: Origin | undefined
  #seq = 0
  #at = 0
  /** Bodies of the queue in this frame, so far. */
  #bodies = 0

  constructor(place: LineageStop) {
    this.#place = place
    this.#number = place.number
  }

  /** Names a queue that the record itself names no more. */
  nameQueue(queue: number, name: string, config: Partial<Pick<QueueConfig, 'deadLetter'>>): void {
    this.#queues.set(queue, { name, config })
  }

  /** Names a generation of a subscription that the record itself names no more. */
  nameSubscription(queue: number, sub: number, name: string): void {
    if (queue === this.#place.queue) this.#subs.set(sub, name)
  }

  /** Name of the place's queue. */
  get queue(): string {
    return this.#queues.get(this.#place.queue)?.name ?? `#${this.#place.queue}`
  }
  /** State after the last step, under `main` where several subscriptions differ. */
  get state(): State {
    return this.#standing.state
  }
  /** Where it went from here: once for each subscription that gave it up to a dead-letter queue, or was redriven. */
  get nexts(): readonly NextStop[] {
    return this.#nexts
  }

  /** Where it came from, when it was forwarded to here. */
  get origin(): Origin | undefined {
    return this.#origin
  }

  get #standing(): View {
    const views = [...this.#views.values()]
    return views.findLast((v) => v.name === 'main') ?? views[0] ?? this.#shared
  }

  /** Takes the events of one frame. */
  accept(seq: number, at: number, events: readonly LogEvent[]): void {
    this.#seq = seq
    this.#at = Math.max(at, this.#at)
    this.#bodies = 0
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
        for (const view of this.#views.values())
          if (view.state === State.Inflight && e.gapMs > 0) {
            view.leaseUntil += e.gapMs
            this.#step(e, view, State.Inflight, { leaseUntil: view.leaseUntil })
          }
        return
      case 'OwnerChanged':
      case 'Checkpointed':
      case 'Trimmed':
      case 'StoreShort':
      case 'ForeignRecordSkipped':
      case 'DeliveryPaused':
      case 'DeliveryResumed':
      case 'DeliveryHeld':
      case 'Forwarded':
      case 'PartLeft':
      case 'LanesEnded':
      case 'LanesClosed':
      case 'ClosingTold':
      case 'LanesForgotten':
        return
      case 'Readdressed':
        if (e.source === this.#place.queue) this.#readdressed(e)
        return
      case 'LettersCarried':
        if (e.source === this.#place.queue) this.#carried(e)
        return
      default:
        if (e.queue === this.#place.queue) this.#ofQueue(e)
    }
  }

  #ofQueue(e: Extract<LogEvent, { queue: number }>): void {
    const first = this.#bodies
    this.#bodies += bodiesOf(e)
    if (e.type === 'BodyEdited') {
      if (e.number === this.#number) this.#noted(e, { by: e.by, body: this.#bodyAt(first) })
      return
    }
    if (e.type === 'ForwardReceived') return this.#arrived(e, first)
    if (e.type === 'SubscriptionCreated' || e.type === 'SubscriptionReset') this.#subs.set(e.sub, e.name)
    const n = this.#number
    if (n === undefined) return
    switch (e.type) {
      case 'Enqueued':
        if (n < e.first || n >= e.first + e.count) return
        this.#group = e.group
        this.#step(e, this.#shared, e.dueAt === 0 ? State.Available : State.Delayed, {
          producer: e.producer,
          send: e.send,
          body: this.#bodyAt(first + n - e.first),
          ...(e.dueAt === 0 ? {} : { dueAt: e.dueAt }),
        })
        return this.#filter(e)
      case 'QueuePurged':
        if (n < e.upTo) this.#purge(e, undefined, {})
        return
      case 'QueueDeleted':
        return this.#purge(e, undefined, { cause: 'the queue was deleted' })
      case 'SubscriptionReset': {
        const before = [...this.#views.values()].findLast((v) => v.name === e.name && v.sub !== e.sub)
        if (before !== undefined) this.#purge(e, before, { cause: 'the subscription was reset' })
        return
      }
      case 'SubscriptionDeleted': {
        const view = this.#views.get(e.sub)
        if (view !== undefined) this.#purge(e, view, { cause: 'the subscription was deleted' })
        return
      }
      case 'Deduplicated':
        if (e.originals.includes(n)) this.#noted(e, { producer: e.producer, send: e.send })
        return
      case 'Recalled':
        if (n === e.number) this.#purge(e, undefined, { reason: 'recalled' })
        return
      case 'Rescheduled':
        if (n === e.number) this.#step(e, this.#shared, State.Delayed, { dueAt: e.dueAt, by: e.by })
        return
      case 'SubscriptionCreated':
      case 'SubscriptionConfigured':
      case 'QueueCreated':
      case 'QueueConfigured':
      case 'DeliveryPaused':
      case 'DeliveryResumed':
      case 'DeliveryHeld':
      case 'QueueSpread':
      case 'PartOpened':
      case 'PartClosed':
      case 'PartGone':
      case 'PartPlaced':
      case 'RedriveEnded':
        return
      case 'Erased':
        return this.#erased(e, n)
      case 'KeysDeleted':
        if (this.#erasures.delete(e.erasure)) this.#noted(e)
        return
      case 'RedriveStarted':
        this.#redrivers.set(e.task, e.by)
        return
      case 'RunsRestored':
        return this.#restored(e, n)
      case 'SubscriptionFilled':
        return
      default: {
        const place = indexInRanges(e.numbers, n)
        if (place >= 0) this.#ofMessage(e, place, first)
      }
    }
  }

  /** Its key is to be deleted, or that of its group. */
  #erased(e: LogEventOf<'Erased'>, n: number): void {
    const isMeant = e.group === undefined ? indexInRanges(e.numbers ?? [], n) >= 0 : e.group === this.#group
    if (!isMeant) return
    this.#erasures.add(e.erasure)
    this.#noted(e, { by: e.by })
  }

  /** A subscription that began in the past got it as well. */
  #restored(e: LogEventOf<'RunsRestored'>, n: number): void {
    const { runs, filtered = [] } = e
    for (let i = 0; i < runs.length; i += runNumbers)
      if (n >= runs[i]! && n < runs[i]! + runs[i + 1]!) this.#step(e, this.#view(e.sub), State.Available)
    if (indexInRanges(filtered, n) >= 0)
      this.#step(e, this.#view(e.sub), State.Discarded, { reason: 'filtered' })
  }

  #arrived(e: LogEventOf<'ForwardReceived'>, firstBody: number): void {
    const { arrives } = this.#place
    if (this.#number === undefined) {
      if (arrives === undefined) return
      if (e.from.partition !== arrives.from.partition || e.from.queue !== arrives.from.queue) return
      const place = arrives.forward - e.forward
      if (place < 0 || place >= e.count) return
      this.#number = e.first + place
    } else if (this.#number < e.first || this.#number >= e.first + e.count) return
    this.#origin = { ...e.from, forward: e.forward + this.#number - e.first }
    this.#group = e.group
    this.#step(e, this.#shared, State.Available, {
      from: {
        partition: e.from.partition,
        queue: arrives?.queue ?? `#${e.from.queue}`,
        forward: e.forward + this.#number - e.first,
      },
      body: this.#bodyAt(firstBody + this.#number - e.first),
    })
    this.#filter(e)
  }

  /** Subscriptions whose filter it does not pass are done with it. */
  #filter(e: LogEventOf<'Enqueued' | 'ForwardReceived' | 'DelayElapsed'>): void {
    for (const sub of e.filteredBy ?? [])
      this.#step(e, this.#view(sub), State.Discarded, { reason: 'filtered' })
  }

  /** Ends it under one subscription, or under all that are not done with it; purged, unless the detail has another reason. */
  #purge(e: Extract<LogEvent, { by: Actor }>, only: View | undefined, detail: Detail): void {
    const views = only === undefined ? [...this.#views.values()] : [only]
    for (const view of views.length > 0 ? views : [this.#shared])
      if (!isFinal(view.state))
        this.#step(e, view, State.Discarded, { reason: 'purged', ...detail, by: e.by })
  }

  /** How it stands under a subscription: as for all, until that does something of its own. */
  #view(sub: number): View {
    let view = this.#views.get(sub)
    if (view === undefined) {
      view = newView(sub, this.#subs.get(sub) ?? `#${sub}`)
      view.state = this.#shared.state
      this.#views.set(sub, view)
    }
    return view
  }

  #ofMessage(e: Extract<LogEvent, { numbers: Ranges }>, place: number, firstBody: number): void {
    if (e.type === 'BodiesCarried') return this.#noted(e, { body: this.#bodyAt(firstBody + place) })
    if (e.type === 'DelayElapsed') {
      this.#step(e, this.#shared, State.Available)
      return this.#filter(e)
    }
    const view = this.#view(e.sub)
    switch (e.type) {
      case 'Delivered':
        view.attempt++
        view.leaseUntil = e.leaseUntil
        return this.#step(e, view, State.Inflight, {
          delivery: e.delivery,
          consumer: e.consumer,
          leaseUntil: e.leaseUntil,
        })
      case 'RetryDue':
        return this.#step(e, view, State.Available)
      case 'LeaseExtended':
        view.leaseUntil = e.leaseUntil
        return this.#step(e, view, State.Inflight, {
          leaseUntil: e.leaseUntil,
          ...(e.attempt === undefined ? {} : { cause: 'the receive was repeated' }),
        })
      case 'Released':
        view.attempt--
        return this.#step(e, view, State.Available, { cause: e.cause })
      case 'Deferred':
        view.attempt--
        return this.#paused(e, view, e.dueAt, e.error === '' ? {} : { error: e.error })
      case 'Acked':
        return this.#step(e, view, State.Committed)
      case 'RetryScheduled':
        return this.#paused(e, view, e.dueAt, e.error === '' ? {} : { error: e.error })
      case 'LeaseExpired':
        return this.#paused(e, view, e.dueAt, {})
      case 'DeadLettered':
        return this.#deadLettered(e, view, e.forward + place)
      case 'Redriven':
        return this.#redriven(e, view, e.forward + place)
      case 'Discarded':
        return this.#step(e, view, State.Discarded, {
          reason: e.reason,
          cause: e.cause,
          ...(e.error === '' ? {} : { error: e.error }),
          ...(e.by === undefined ? {} : { by: e.by }),
        })
    }
  }

  #bodyAt(index: number): NonNullable<TraceStep['body']> {
    return { queue: this.#place.queue, seq: this.#seq, index }
  }

  /** Something that leaves it as it stands. */
  #noted(e: LogEvent, detail: Detail = {}): void {
    const view = this.#standing
    this.#step(e, view, view.state, detail)
  }

  #paused(e: LogEvent, view: View, dueAt: number, detail: Detail): void {
    if (dueAt === 0) this.#step(e, view, State.Available, detail)
    else this.#step(e, view, State.WaitingRetry, { ...detail, dueAt })
  }

  #deadLettered(e: LogEventOf<'DeadLettered'>, view: View, forward: number): void {
    const { queue } = this.#place
    const configured = this.#queues.get(queue)?.config.deadLetter
    const named = configured?.partition === e.target.partition && configured.queue === e.target.queue
    this.#step(e, view, State.DLQ, {
      cause: e.cause,
      ...(e.error === '' ? {} : { error: e.error }),
      target: {
        partition: e.target.partition,
        queue: named ? configured.name : `#${e.target.queue}`,
        forward,
      },
    })
    this.#leaves(e.target, forward)
  }

  #redriven(e: LogEventOf<'Redriven'>, view: View, forward: number): void {
    const by = this.#redrivers.get(e.task)
    this.#step(e, view, State.Discarded, {
      reason: 'redriven',
      target: { partition: e.target.partition, queue: e.name, forward },
      ...(by === undefined ? {} : { by }),
    })
    this.#leaves(e.target, forward)
  }

  #leaves(target: QueueAddress, forward: number): void {
    const { partition, queue } = this.#place
    this.#nexts.push({
      ...target,
      decidedSeq: this.#seq,
      arrives: { from: { partition, queue }, queue: this.queue, forward },
    })
  }

  /** It goes elsewhere than it was going, since the queue there was deleted. */
  #readdressed(e: LogEventOf<'Readdressed'>): void {
    const nexts = this.#nexts
    for (let i = 0; i < nexts.length; i++) {
      const { partition, queue, arrives } = nexts[i]!
      if (partition !== e.from.partition || queue !== e.from.queue || arrives === undefined) continue
      const place = indexInRanges(e.forwards, arrives.forward)
      if (place < 0) continue
      const forward = e.forward + place
      nexts[i] = { ...e.target, decidedSeq: this.#seq, arrives: { ...arrives, forward } }
      this.#noted(e, { target: { partition: e.target.partition, queue: e.name, forward } })
    }
  }

  #carried(e: LogEventOf<'LettersCarried'>): void {
    this.#bodies += rangeTotal(e.forwards)
    for (const { partition, queue, arrives } of this.#nexts) {
      if (partition !== e.target.partition || queue !== e.target.queue || arrives === undefined) continue
      const place = indexInRanges(e.forwards, arrives.forward)
      if (place >= 0) this.#noted(e, { body: this.#bodyAt(e.index + place) })
    }
  }

  #step(e: LogEvent, view: View, state: State, detail: Detail = {}): void {
    view.state = state
    this.steps.push({
      partition: this.#place.partition,
      seq: this.#seq,
      at: this.#at,
      queue: this.queue,
      number: this.#number!,
      event: e.type,
      state: stateNames[state],
      attempt: view.attempt,
      ...(view === this.#shared || view.name === 'main' ? {} : { subscription: view.name }),
      ...detail,
    })
  }

  /** What a repair gave up never happened: the message is again where it was before. */
  #void({ from, upTo }: { readonly from: number; readonly upTo: number }): void {
    const { steps } = this
    const kept: TraceStep[] = []
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i]!
      if (step.seq >= from && step.seq <= upTo) steps[i] = { ...step, voided: true }
      else if (step.voided === undefined) kept.push(step)
    }
    const shared = kept.findLast((step) => step.delivery === undefined && step.subscription === undefined)
    this.#shared.state = shared === undefined ? State.Available : State[shared.state]
    for (const view of this.#views.values()) {
      const last = kept.findLast((step) => (step.subscription ?? 'main') === view.name)
      view.state = last === undefined ? this.#shared.state : State[last.state]
      view.attempt = last?.attempt ?? 0
      view.leaseUntil = last?.leaseUntil ?? 0
    }
    if (kept.length === 0) this.#number = this.#place.number
    const nexts = this.#nexts.filter(({ decidedSeq }) => decidedSeq < from || decidedSeq > upTo)
    this.#nexts.splice(0, this.#nexts.length, ...nexts)
  }
}

/** Bodies that a fact brings to its queue. */
const bodiesOf = (e: LogEvent): number => {
  switch (e.type) {
    case 'Enqueued':
    case 'ForwardReceived':
      return e.count
    case 'BodyEdited':
      return 1
    case 'BodiesCarried':
      return rangeTotal(e.numbers)
    default:
      return 0
  }
}

const newView = (sub: number, name: string): View => ({
  sub,
  name,
  state: State.Available,
  attempt: 0,
  leaseUntil: 0,
})
