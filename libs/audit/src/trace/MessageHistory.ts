import {
  type Actor,
  effectOf,
  indexInRanges,
  isFinal,
  type LogEvent,
  type LogEventOf,
  type MessageChange,
  type MessageEnd,
  type QueueAddress,
  type QueueConfig,
  rangeTotal,
  State,
  stateNames,
} from '@kiroku/protocol'
import type { TraceStep } from './TraceStep.ts'

/** A place of a lineage: a queue and, as soon as it is known, the message's number there. */
export interface LineageStop extends QueueAddress {
  readonly number?: number
  /** Of a forwarded message: what identifies its arrival. */
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

/** The message's state under one generation of a subscription. */
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

type OfQueue = Extract<LogEvent, { queue: number }>

type Detail = Omit<
  TraceStep,
  'partition' | 'seq' | 'at' | 'queue' | 'number' | 'event' | 'state' | 'attempt' | 'subscription'
>

/** Collects what happens to one message at one place. Feed it the partition's frames in order. */
export class MessageHistory {
  readonly steps: TraceStep[] = []
  readonly #stop: LineageStop
  readonly #queues = new Map<number, QueueName>()
  #number: number | undefined
  /** What holds for all subscriptions until one of them diverges. */
  #shared: View = newView(mainSub, '')
  /** Subscriptions that diverged. */
  readonly #views = new Map<number, View>()
  /** Names of the queue's generations. */
  readonly #subs = new Map<number, string>([[mainSub, 'main']])
  /** Its message group. */
  #group: string | undefined
  /** Its erasures whose keys are not deleted yet. */
  readonly #erasures = new Set<number>()
  /** Who started the queue's redrives. */
  readonly #redrivers = new Map<number, Actor>()
  readonly #nexts: NextStop[] = []
  #origin: Origin | undefined
  #seq = 0
  #at = 0
  /** Bodies of the queue in this frame, so far. */
  #bodies = 0

  constructor(stop: LineageStop) {
    this.#stop = stop
    this.#number = stop.number
  }

  /** Names a queue that the record itself no longer names. */
  nameQueue(queue: number, name: string, config: Partial<Pick<QueueConfig, 'deadLetter'>>): void {
    this.#queues.set(queue, { name, config })
  }

  /** Names a generation of a subscription that the record itself no longer names. */
  nameSubscription(queue: number, sub: number, name: string): void {
    if (queue === this.#stop.queue) this.#subs.set(sub, name)
  }

  /** Name of the place's queue. */
  get queue(): string {
    return this.#queues.get(this.#stop.queue)?.name ?? `#${this.#stop.queue}`
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
      case 'Repaired':
        if (e.hash === '') this.#void(e)
        return
      case 'ClockResumed':
        return this.#resumed(e)
      case 'Readdressed':
        if (e.source === this.#stop.queue) this.#readdressed(e)
        return
      case 'LettersCarried':
        if (e.source === this.#stop.queue) this.#carried(e)
        return
      case 'QueueCreated':
        this.nameQueue(e.queue, e.name, e.config)
        break
      case 'QueueConfigured':
        this.nameQueue(e.queue, this.#queues.get(e.queue)?.name ?? `#${e.queue}`, e.config)
        break
      default:
    }
    if ('queue' in e && e.queue === this.#stop.queue) this.#ofQueue(e)
  }

  #ofQueue(e: OfQueue): void {
    const effect = effectOf(e)
    const firstBody = this.#bodies
    if (effect?.kind === 'change' && effect.hasBodies === true) this.#bodies += rangeTotal(effect.numbers)
    switch (e.type) {
      case 'SubscriptionCreated':
      case 'SubscriptionReset':
        this.#subs.set(e.sub, e.name)
        break
      case 'RedriveStarted':
        this.#redrivers.set(e.task, e.by)
        break
      case 'ForwardReceived':
        if (!this.#arrives(e)) return
        break
      case 'Erased':
        return this.#erased(e)
      case 'KeysDeleted':
        if (this.#erasures.delete(e.erasure)) this.#noted(e)
        return
      default:
    }
    const n = this.#number
    if (n === undefined || effect === undefined) return
    if (effect.kind === 'end') return this.#ended(e, effect, n)
    const index = indexInRanges(effect.numbers, n)
    if (index >= 0) this.#changed(e, effect, index, firstBody + index)
    else if (indexInRanges(effect.filtered ?? [], n) >= 0)
      this.#step(e, this.#view(effect.sub!), State.Discarded, { reason: 'filtered' })
  }

  #resumed(e: LogEventOf<'ClockResumed'>): void {
    for (const view of this.#views.values())
      if (view.state === State.Inflight && e.gapMs > 0) {
        view.leaseUntil += e.gapMs
        this.#step(e, view, State.Inflight, { leaseUntil: view.leaseUntil })
      }
  }

  /** Its key is to be deleted, or that of its group. */
  #erased(e: LogEventOf<'Erased'>): void {
    const n = this.#number
    if (n === undefined) return
    const isMeant = e.group === undefined ? indexInRanges(e.numbers ?? [], n) >= 0 : e.group === this.#group
    if (!isMeant) return
    this.#erasures.add(e.erasure)
    this.#noted(e, { by: e.by })
  }

  /** Whether a forward is this message; the first match gives it its number here. */
  #arrives(e: LogEventOf<'ForwardReceived'>): boolean {
    const { arrives } = this.#stop
    if (this.#number === undefined) {
      if (arrives === undefined) return false
      if (e.from.partition !== arrives.from.partition || e.from.queue !== arrives.from.queue) return false
      const index = arrives.forward - e.forward
      if (index < 0 || index >= e.count) return false
      this.#number = e.first + index
    } else if (this.#number < e.first || this.#number >= e.first + e.count) return false
    this.#origin = { ...e.from, forward: e.forward + this.#number - e.first }
    return true
  }

  /** Ends it under one subscription, or under all for which it is not final. */
  #ended(e: OfQueue & { readonly sub?: number }, { below, sub, cause, by }: MessageEnd, n: number): void {
    if (n >= below) return
    const views = [...this.#views.values()]
    const meant =
      typeof sub === 'number'
        ? views.filter((view) => view.sub === sub)
        : views.filter((view) => view.name === sub && view.sub !== e.sub).slice(-1)
    const detail = { reason: 'purged', ...(cause === undefined ? {} : { cause }), by }
    if (sub === undefined) this.#discard(e, views, detail)
    else for (const view of meant) if (!isFinal(view.state)) this.#step(e, view, State.Discarded, detail)
  }

  /** Under all subscriptions for which it is not final. */
  #discard(e: LogEvent, views: readonly View[], detail: Detail): void {
    for (const view of views.length > 0 ? views : [this.#shared])
      if (!isFinal(view.state)) this.#step(e, view, State.Discarded, detail)
  }

  /** Its state under a subscription: the shared one, until that subscription diverges. */
  #view(sub: number): View {
    let view = this.#views.get(sub)
    if (view === undefined) {
      view = newView(sub, this.#subs.get(sub) ?? `#${sub}`)
      view.state = this.#shared.state
      this.#views.set(sub, view)
    }
    return view
  }

  #changed(e: OfQueue, change: MessageChange, index: number, bodyIndex: number): void {
    const { to, sub, attempts = 0, filteredBy = [], hasBodies, target, detail } = change
    if (e.type === 'Enqueued' || e.type === 'ForwardReceived') this.#group = e.group
    const { error, dueAt, by = this.#redriver(e), ...rest } = detail
    const body = hasBodies === true ? { body: this.#bodyAt(bodyIndex) } : {}
    const told: Detail = {
      ...rest,
      ...(error === undefined || error === '' ? {} : { error }),
      ...(e.type === 'ForwardReceived' ? { from: this.#from(e, index) } : {}),
      ...(by === undefined ? body : {}),
      ...(dueAt === undefined ? {} : { dueAt }),
      ...(target === undefined ? {} : { target: this.#targetOf(target, index) }),
      ...(by === undefined ? {} : { by, ...body }),
    }
    if (to === undefined) return this.#noted(e, told)
    if (sub === undefined && to === 'Discarded') return this.#discard(e, [...this.#views.values()], told)
    if (sub === undefined) {
      this.#step(e, this.#shared, State[to], told)
      // It is final for subscriptions whose filter it does not pass.
      for (const filtered of filteredBy)
        this.#step(e, this.#view(filtered), State.Discarded, { reason: 'filtered' })
      return
    }
    const view = this.#view(sub)
    view.attempt += attempts
    view.leaseUntil = detail.leaseUntil ?? view.leaseUntil
    this.#step(e, view, State[to], told)
    if (target !== undefined) this.#leaves(target, target.forward + index)
  }

  #redriver(e: LogEvent): Actor | undefined {
    return e.type === 'Redriven' ? this.#redrivers.get(e.task) : undefined
  }

  #from({ from, forward }: LogEventOf<'ForwardReceived'>, index: number): NonNullable<TraceStep['from']> {
    const queue = this.#stop.arrives?.queue ?? `#${from.queue}`
    return { partition: from.partition, queue, forward: forward + index }
  }

  /** Names the queue as the record does, else as the settings in force, else by its id. */
  #targetOf(
    { partition, queue, forward, name }: NonNullable<MessageChange['target']>,
    index: number,
  ): NonNullable<TraceStep['target']> {
    const configured = this.#queues.get(this.#stop.queue)?.config.deadLetter
    const isConfigured = configured?.partition === partition && configured.queue === queue
    return {
      partition,
      queue: name ?? (isConfigured ? configured.name : `#${queue}`),
      forward: forward + index,
    }
  }

  #bodyAt(index: number): NonNullable<TraceStep['body']> {
    return { queue: this.#stop.queue, seq: this.#seq, index }
  }

  /** A step that leaves its state unchanged. */
  #noted(e: LogEvent, detail: Detail = {}): void {
    const view = this.#standing
    this.#step(e, view, view.state, detail)
  }

  #leaves(target: QueueAddress, forward: number): void {
    const { partition, queue } = this.#stop
    this.#nexts.push({
      ...target,
      decidedSeq: this.#seq,
      arrives: { from: { partition, queue }, queue: this.queue, forward },
    })
  }

  /** It is readdressed, since its target was deleted. */
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
      partition: this.#stop.partition,
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
    if (kept.length === 0) this.#number = this.#stop.number
    const nexts = this.#nexts.filter(({ decidedSeq }) => decidedSeq < from || decidedSeq > upTo)
    this.#nexts.splice(0, this.#nexts.length, ...nexts)
  }
}

const newView = (sub: number, name: string): View => ({
  sub,
  name,
  state: State.Available,
  attempt: 0,
  leaseUntil: 0,
})
