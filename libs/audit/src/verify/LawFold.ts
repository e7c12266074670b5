import { newCell, type MachineEvent } from '@kiroku/message'
import {
  availableAmong,
  beginFrame,
  dedupKeyBytes,
  editable,
  evolve,
  filteredSubs,
  findDelayed,
  laneKey,
  seenKey,
  loadCell,
  mainSubscription,
  readyRuns,
  runNumbers,
  untouchedCell,
  type PartitionState,
  type QueueState,
  type Subscription,
} from '@kiroku/partition'
import {
  eachNumber,
  intersectRanges,
  rangesInOrder,
  KirokuError,
  type LogEvent,
  type LogEventOf,
  rangesOverlap,
  type QueueAddress,
  type Ranges,
  type Redrive,
  retryDelayMs,
  State,
  stateNames,
  rangeTotal,
} from '@kiroku/protocol'
import type { ForwardLedger } from './ForwardLedger.ts'
import type { MachineCheck } from './MachineCheck.ts'
import { RestoreCheck, type ArrivalsIn } from './RestoreCheck.ts'
import { checkSpread } from './checkSpread.ts'
import { machineEvents } from './machineEvents.ts'

/** What the fold must know of a frame. */
export interface FrameFacts {
  readonly epoch: number
  readonly at: number
  readonly events: readonly LogEvent[]
  /** Ids of the queues that have bodies in it, and how many. */
  readonly bodyQueues: readonly number[]
  bodyCount(queue: number): number
}

const { ack, deadLetter, deliver, discard, elapse, expire, extend, leaseExpired } = machineEvents
const { recall, release, reschedule, retry, retryDue, rollback } = machineEvents

const refuse = (what: string): never => {
  throw new KirokuError('LogDamaged', what)
}

/** A fact about messages of one subscription. */
type Numbered = Extract<LogEvent, { sub: number; numbers: Ranges }>

/**
 * Rebuilds a partition's state from its frames and holds every fact against the law before it is applied: that
 * it could happen to each message it names, with this outcome and not earlier. Throws `LogDamaged` at the first
 * that could not.
 */
export class LawFold {
  readonly state: PartitionState
  /** Changes of single messages. */
  transitions = 0
  #events = 0
  readonly #law: MachineCheck
  readonly #forwards: ForwardLedger
  readonly #cell = newCell()
  readonly #bodies = new Map<number, number>()
  #seq = 0
  /** Partition time of the frame before. */
  #before = 0
  /** The event before, if it is in the same frame. */
  #previous: LogEvent | undefined

  readonly #restores: RestoreCheck
  #arrivals: ArrivalsIn = () => undefined

  constructor(state: PartitionState, law: MachineCheck, forwards: ForwardLedger) {
    this.state = state
    this.#law = law
    this.#forwards = forwards
    this.#restores = new RestoreCheck(state)
  }

  get events(): number {
    return this.#events
  }

  /** Checks and applies one frame. `arrivals` are those of the frames that it restores messages from. */
  accept(seq: number, frame: FrameFacts, arrivals: ArrivalsIn = () => undefined): void {
    this.#arrivals = arrivals
    const { state } = this
    if (frame.at < state.at)
      refuse(`time goes back: the frame is of ${frame.at}, but it was ${state.at} already`)
    this.#seq = seq
    this.#before = state.at
    beginFrame(state, seq, frame.at)
    this.#bodies.clear()
    this.#previous = undefined
    const { events } = frame
    for (let i = 0; i < events.length; i++) {
      const event = events[i]!
      this.#check(event, frame.epoch)
      evolve(state, event)
      this.#previous = event
    }
    this.#events += events.length
    this.#checkBodies(frame)
  }

  /** Every message that ever came in must be live or in exactly one final state. */
  checkConservation(): void {
    for (const q of this.state.queues.values()) {
      for (const sub of q.subs) {
        const finals = sub.committed + sub.deadLettered + sub.discarded
        // Numbers of the first generation of all are those of the queue, whatever its own count says.
        const entered = sub.id === 0 ? q.sent - q.delayed : sub.entered
        if (entered !== sub.live + finals)
          refuse(
            `subscription "${sub.name}" of queue "${q.name}" got ${entered} messages, but has ${sub.live} live and ${finals} final ones`,
          )
      }
    }
  }

  /** Time moves within a frame only in a dispute about it, and leases by no more than went by. */
  #resumed({ now, gapMs, dispute, clock }: LogEventOf<'ClockResumed'>): void {
    const { at } = this.state
    const endsDispute = this.state.dispute !== undefined && dispute === undefined
    if (clock !== undefined && !endsDispute) refuse('there is no dispute between clocks to settle')
    if (now > at && this.state.dispute === undefined)
      refuse(`time goes on at ${now}, but the frame is of ${at}`)
    const passedMs = Math.max(now, at) - this.#before
    if (gapMs < 0 || gapMs > passedMs)
      refuse(`leases are lengthened by ${gapMs} ms, but ${passedMs} ms went by`)
  }

  #check(e: LogEvent, epoch: number): void {
    switch (e.type) {
      case 'Enqueued':
        return this.#enqueued(e)
      case 'Deduplicated':
        return this.#deduplicated(e)
      case 'ForwardReceived':
        return this.#forwardReceived(e)
      case 'Delivered':
        return this.#delivered(e)
      case 'DelayElapsed':
        return this.#delayElapsed(e)
      case 'Recalled':
        return this.#revised(e, recall, State.Discarded)
      case 'Rescheduled':
        reschedule.now = this.state.at
        reschedule.dueAt = e.dueAt
        if (e.dueAt < this.state.at) refuse(`${nameOf(e, e.number)} is due at ${e.dueAt}, which is over`)
        return this.#revised(e, reschedule, State.Delayed)
      case 'LeaseExtended':
        return this.#leaseExtended(e)
      case 'Released':
        return this.#each(e, this.#release(0), State.Available)
      case 'Deferred':
        return this.#each(e, this.#release(e.dueAt), paused(e.dueAt))
      case 'Acked':
        ack.policy = this.#sub(e).policy
        return this.#each(e, ack, State.Committed)
      case 'RetryScheduled':
        return this.#each(e, this.#retry(e, e.dueAt), paused(e.dueAt))
      case 'LeaseExpired':
        return this.#leaseExpired(e)
      case 'RetryDue':
        retryDue.now = this.state.at
        return this.#each(e, retryDue, State.Available)
      case 'DeadLettered':
        return this.#deadLettered(e)
      case 'Discarded':
        return this.#discarded(e)
      case 'RedriveStarted':
        return this.#redriveStarted(e)
      case 'Redriven':
        return this.#redriven(e)
      case 'RedriveEnded':
        this.#redrive(e)
        return
      case 'Forwarded':
        return this.#forwarded(e)
      case 'Readdressed':
        return this.#readdressed(e)
      case 'LanesEnded':
        if (this.state.queues.has(e.source)) refuse(`the lanes of queue ${e.source} end, which is there`)
        for (const { source, entries } of this.state.outbox.values())
          if (source === e.source && entries.length > 0)
            refuse(`the lanes of queue ${e.source} end with ${entries.length} letters in one`)
        return
      case 'LanesClosed':
        return this.#lanesClosed(e)
      case 'ClosingTold':
        if (e.upTo > this.state.firstForward) refuse(`lanes up to ${e.upTo} were never closed`)
        return
      case 'LanesForgotten':
        return this.#lanesForgotten(e)
      case 'QueuePurged': {
        const queue = this.#queue(e.queue)
        if (e.upTo !== queue.nextNumber) refuse(`a purge up to ${e.upTo} is not one of all that was sent`)
        this.transitions += liveIn(queue)
        return
      }
      case 'QueueCreated':
        if (e.queue < this.state.nextQueue) refuse(`queue id ${e.queue} was in use before`)
        if (this.state.names.has(e.name)) refuse(`queue "${e.name}" is created twice`)
        return
      case 'QueueDeleted':
        this.transitions += liveIn(this.#queue(e.queue))
        return
      case 'BodyEdited': {
        const at = editable(this.state, this.#queue(e.queue), e.number)
        if (typeof at === 'string') refuse(`a body is edited, but ${at}`)
        return this.#addBodies(e.queue, 1)
      }
      case 'BodiesCarried':
        return this.#addBodies(e.queue, rangeTotal(e.numbers))
      case 'LettersCarried':
        if (e.index !== (this.#bodies.get(e.source) ?? 0))
          refuse(`the bodies of letters of queue ${e.source} do not lie at place ${e.index}`)
        return this.#addBodies(e.source, rangeTotal(e.forwards))
      case 'OwnerChanged':
        if (e.epoch !== epoch) refuse(`the frame is of epoch ${epoch}, but names ${e.epoch}`)
        return
      case 'ClockResumed':
        return this.#resumed(e)
      case 'StoreShort':
        if (e.freeBytes < 0 || e.freeBytes >= e.bytesMax)
          refuse(`the store had ${e.freeBytes} of ${e.bytesMax} bytes`)
        return
      case 'Trimmed':
        if (e.upTo >= this.#seq) refuse(`record ${e.upTo} cannot be trimmed yet`)
        return
      case 'Erased':
        return this.#erased(e)
      case 'KeysDeleted':
        if (!this.state.erasures.some(({ erasure }) => erasure === e.erasure))
          refuse(`keys of erasure ${e.erasure} are deleted, but were not to be`)
        return
      case 'QueueConfigured':
        this.#queue(e.queue)
        return
      case 'DeliveryPaused':
      case 'DeliveryResumed':
        if (e.sub === undefined) this.#queue(e.queue)
        else this.#sub({ queue: e.queue, sub: e.sub })
        return
      case 'DeliveryHeld': {
        const before = this.#sub(e).hold?.until ?? 0
        if (e.until <= Math.max(before, this.state.at))
          refuse(`subscription ${e.queue}/${e.sub} is held until ${e.until}, which is no longer than before`)
        return
      }
      case 'SubscriptionCreated':
      case 'SubscriptionReset':
        return this.#generation(e)
      case 'SubscriptionConfigured':
        this.#sub(e)
        return
      case 'RunsRestored':
        return this.#restored(e)
      case 'SubscriptionFilled':
        if (this.#sub(e).fill === undefined) refuse(`subscription ${e.queue}/${e.sub} is complete already`)
        return
      case 'SubscriptionDeleted':
        this.transitions += this.#sub(e).live
        return
      case 'QueueSpread':
      case 'PartOpened':
      case 'PartClosed':
      case 'PartGone':
      case 'PartPlaced':
      case 'PartLeft': {
        const queue = e.type === 'PartLeft' ? undefined : this.state.queues.get(e.queue)
        const wrong = checkSpread(this.state, queue, e)
        if (wrong !== undefined) refuse(wrong)
        return
      }
      case 'Checkpointed':
      case 'ForeignRecordSkipped':
      case 'Repaired':
        return
      default:
        // `evolve` passes over what is optional and refuses the rest.
        return
    }
  }

  // Subscriptions

  #generation(e: LogEventOf<'SubscriptionCreated' | 'SubscriptionReset'>): void {
    const queue = this.#queue(e.queue)
    const before = queue.named(e.name)
    if (e.sub < queue.nextSub) refuse(`generation ${e.sub} of queue ${e.queue} was there before`)
    if (e.type === 'SubscriptionCreated' && before !== undefined)
      refuse(`subscription "${e.name}" of queue ${e.queue} is created twice`)
    if (e.type === 'SubscriptionReset' && before === undefined)
      refuse(`subscription "${e.name}" of queue ${e.queue} is reset, but is not there`)
    if (e.readFrom === undefined ? e.from !== queue.nextNumber : e.from >= queue.nextNumber)
      refuse(`a generation begins at message ${e.from}, where ${queue.nextNumber} is next`)
    if (e.readFrom !== undefined && (e.readFrom <= this.state.trimmedTo || e.readFrom > this.#seq))
      refuse(`record ${e.readFrom}, from which the past is read, is not there`)
    if (e.from < queue.purgedTo) refuse(`a generation begins with messages that were purged`)
    this.transitions += before?.live ?? 0
  }

  #restored(e: LogEventOf<'RunsRestored'>): void {
    this.#restores.check(e, this.#sub(e), this.#arrivals)
    for (let i = 1; i < e.runs.length; i += runNumbers) this.transitions += e.runs[i]!
  }

  // Messages enter

  #enqueued(e: LogEventOf<'Enqueued'>): void {
    const { state } = this
    this.#enters(e)
    if (e.dueAt !== 0 && e.dueAt <= state.at) refuse(`a delay ends at ${e.dueAt}, which is not later`)
    this.#once(e)
    this.#keysAreNew(e)
  }

  /** A send has its effect once; if that is several facts, they come one right behind the other. */
  #once(e: LogEventOf<'Enqueued' | 'Deduplicated'>): void {
    if (this.state.producers.find(e.producer, e.send) === undefined) return
    const p = this.#previous
    const continues =
      p?.type === 'Enqueued' && p.producer === e.producer && p.send === e.send && p.queue === e.queue
    if (!continues) refuse(`send ${e.send} of producer ${e.producer} is stored twice`)
  }

  #keysAreNew(e: LogEventOf<'Enqueued'>): void {
    const { dedup, at } = this.state
    const queue = this.#queue(e.queue)
    if (e.keys === undefined ? queue.config.dedup !== 'off' : e.keys.length !== e.count * dedupKeyBytes)
      refuse(`the ${e.count} messages from ${e.first} on of queue ${e.queue} have no key each`)
    if (e.keys === undefined) return
    for (let i = 0; i < e.count; i++) {
      const original = dedup.find(queue, e.keys, i, at)
      if (original !== 0) refuse(`${nameOf(e, e.first + i)} repeats message ${original}, but is stored`)
    }
  }

  #deduplicated(e: LogEventOf<'Deduplicated'>): void {
    const { dedup, at } = this.state
    const queue = this.#queue(e.queue)
    this.#once(e)
    for (const [i, original] of e.originals.entries())
      if (dedup.find(queue, e.keys, i, at) !== original)
        refuse(`send ${e.send} of producer ${e.producer} does not repeat ${nameOf(e, original)}`)
    if (e.originals.length === 0 || rangeTotal(e.answer) < e.originals.length)
      refuse(`send ${e.send} of producer ${e.producer} repeats nothing`)
  }

  #forwardReceived(e: LogEventOf<'ForwardReceived'>): void {
    const { state } = this
    this.#enters(e)
    if (e.enqueuedAt.length !== e.count || e.enqueuedAt.some((at) => at > state.at))
      refuse(`forward ${e.forward} was first sent later than it arrived`)
    const target = { partition: state.partition, queue: e.queue }
    if (e.forward < (state.forwardsSeen.get(seenKey(e.from, e.queue)) ?? 1))
      refuse(`forward ${e.forward} of queue ${e.from.queue} in partition ${e.from.partition} is stored twice`)
    this.#forwards.received(e.from, target, e.forward, e.count, this.#seq)
  }

  /** Whom messages with this tag do not reach, by the filters in force and by whom they are for. */
  #filtered(
    queue: QueueState,
    tag: string | undefined,
    only: number | undefined,
    filteredBy: readonly number[] | undefined,
  ): void {
    const lawful = filteredSubs(queue, tag ?? '', only) ?? []
    if (String(lawful) !== String(filteredBy ?? []))
      refuse(
        `tag "${tag ?? ''}" is filtered by ${filteredBy?.join(', ') ?? 'nobody'}, not by ${String(lawful)}`,
      )
    if (filteredBy === undefined) return
    discard.reason = 'filtered'
    if (!this.#law.step(untouchedCell(this.#cell), discard)) refuse('a message cannot be filtered')
  }

  #enters(e: LogEventOf<'Enqueued' | 'ForwardReceived'>): void {
    const queue = this.#queue(e.queue)
    if (queue.place?.isOpen === false) refuse(`a sealed part of queue "${queue.name}" gets messages`)
    if (e.type === 'ForwardReceived') this.#filtered(queue, e.tag, e.only, e.filteredBy)
    else if (e.dueAt === 0) this.#filtered(queue, e.tag, undefined, e.filteredBy)
    if (e.first !== queue.nextNumber || e.count < 1)
      refuse(`message ${e.first} of queue ${e.queue} comes where ${queue.nextNumber} is next`)
    this.transitions += e.count
    this.#addBodies(e.queue, e.count)
  }

  // Messages move

  #delivered(e: LogEventOf<'Delivered'>): void {
    const { state } = this
    const sub = this.#sub(e)
    const { config, policy } = sub
    if (sub.isPausedAt(state.at)) refuse(`queue ${e.queue} delivers although it is paused`)
    if (e.delivery < state.nextDelivery) refuse(`delivery ${e.delivery} was given out before`)
    if (e.attemptsMax !== policy.attemptsMax)
      refuse(`a delivery allows ${e.attemptsMax} attempts, but the limit in force is ${policy.attemptsMax}`)
    const cap = config.leaseCapMs === 0 ? 0 : state.at + config.leaseCapMs
    if (e.leaseUntil <= state.at || e.leaseCap !== cap || (cap !== 0 && e.leaseUntil > cap))
      refuse(`a lease from ${state.at} to ${e.leaseUntil} with cap ${e.leaseCap} is not allowed`)
    const before = e.attempt === undefined ? undefined : state.attempts.find(sub, e.attempt, state.at)
    if (before !== undefined && state.attempts.isHeld(before, state.live))
      refuse(`receive ${e.attempt} gets another batch, while delivery ${before.delivery} holds its own`)
    deliver.delivery = e.delivery
    deliver.leaseUntil = e.leaseUntil
    deliver.leaseCap = e.leaseCap
    deliver.policy = policy
    this.#each(e, deliver, State.Inflight, 'inOrder')
  }

  #leaseExtended(e: LogEventOf<'LeaseExtended'>): void {
    const { attempts, at } = this.state
    if (e.attempt !== undefined && attempts.find(this.#sub(e), e.attempt, at) === undefined)
      refuse(`receive ${e.attempt} is repeated, but got nothing lately`)
    extend.now = at
    extend.leaseUntil = e.leaseUntil
    this.#each(e, extend, State.Inflight)
  }

  #delayElapsed(e: LogEventOf<'DelayElapsed'>): void {
    const { state } = this
    const queue = this.#queue(e.queue)
    const [first = 0, count = 0] = e.numbers
    const isIt = (d: { readonly queue: QueueState; readonly run: number }): boolean =>
      d.queue === queue && state.runs.first(d.run) === first
    const top = state.delayedRuns.peek()
    const delayed = top !== undefined && isIt(top) ? top : state.delayedRuns.items.find(isIt)
    if (delayed === undefined || e.numbers.length !== 2 || state.runs.count(delayed.run) !== count)
      return refuse(`messages ${first} to ${first + count - 1} of queue ${e.queue} do not wait together`)
    const cell = untouchedCell(this.#cell)
    cell.state = State.Delayed
    cell.dueAt = delayed.dueAt
    elapse.now = state.at
    if (!this.#law.step(cell, elapse))
      refuse(`the delay of message ${first} of queue ${e.queue} ends at ${delayed.dueAt}, which is later`)
    this.#filtered(queue, delayed.tag, undefined, e.filteredBy)
    this.#restores.elapsed(queue, first, count)
    this.transitions += count
  }

  #revised(e: LogEventOf<'Recalled' | 'Rescheduled'>, event: MachineEvent, outcome: State): void {
    const cell = untouchedCell(this.#cell)
    if (findDelayed(this.state, this.#queue(e.queue), e.number) === undefined)
      refuse(`${nameOf(e, e.number)} is not delayed`)
    cell.state = State.Delayed
    if (!this.#law.step(cell, event) || cell.state !== outcome)
      refuse(`${nameOf(e, e.number)} does not accept ${event.type}`)
    this.transitions++
  }

  #release(dueAt: number): MachineEvent {
    release.now = this.state.at
    release.dueAt = dueAt === 0 ? this.state.at : dueAt
    return release
  }

  #retry(e: { readonly queue: number; readonly sub: number }, dueAt: number): MachineEvent {
    retry.now = this.state.at
    retry.dueAt = dueAt === 0 ? this.state.at : dueAt
    retry.policy = this.#sub(e).policy
    return retry
  }

  #expiry(e: { readonly queue: number; readonly sub: number }, dueAt: number): MachineEvent {
    leaseExpired.now = this.state.at
    leaseExpired.dueAt = dueAt === 0 ? this.state.at : dueAt
    leaseExpired.policy = this.#sub(e).policy
    return leaseExpired
  }

  #leaseExpired(e: LogEventOf<'LeaseExpired'>): void {
    const { state } = this
    const sub = this.#sub(e)
    this.#each(e, this.#expiry(e, e.dueAt), paused(e.dueAt))
    const pauseMs = e.dueAt === 0 ? 0 : e.dueAt - state.at
    const policy = sub.config.retry
    eachNumber(e.numbers, (n) => {
      const slot = state.live.find(sub.index, n)
      const simple = state.live.simple[slot] === 1
      const attempt = state.live.attempt[slot]!
      const longest = simple ? 0 : retryDelayMs(policy, attempt, 0)
      const shortest = simple ? 0 : retryDelayMs(policy, attempt, 1)
      if (pauseMs < shortest || pauseMs > longest)
        refuse(`message ${n} of queue ${e.queue} pauses ${pauseMs} ms, not ${shortest} to ${longest}`)
    })
  }

  #deadLettered(e: LogEventOf<'DeadLettered'>): void {
    const configured = this.#sub(e).config.deadLetter
    if (configured?.partition !== e.target.partition || configured.queue !== e.target.queue)
      refuse(
        `queue ${e.queue} gives dead letters to ${e.target.partition}/${e.target.queue}, which is not its own`,
      )
    this.#each(e, this.#failure(e), State.DLQ)
    this.#sent(e)
  }

  /** Messages that enter the lane to another queue. */
  #sent(e: LogEventOf<'DeadLettered' | 'Redriven'>): void {
    const { state } = this
    const next = state.outbox.get(laneKey(e.queue, e.target))?.next ?? state.firstForward
    if (e.forward !== next) refuse(`forward ${e.forward} comes where ${next} is next`)
    const source = { partition: state.partition, queue: e.queue }
    this.#forwards.sent(source, e.target, e.forward, rangeTotal(e.numbers), this.#seq)
  }

  // Redrives

  #redriveStarted(e: LogEventOf<'RedriveStarted'>): void {
    const queue = this.#queue(e.queue)
    this.#sub(e)
    if (e.task !== queue.nextRedrive) refuse(`redrive ${e.task} comes where ${queue.nextRedrive} is next`)
    if (e.upTo >= queue.nextNumber) refuse(`a redrive up to ${e.upTo} is not one of what was sent`)
    if (e.selection !== undefined && (e.selection.length === 0 || !rangesInOrder(e.selection)))
      refuse(`redrive ${e.task} does not select messages in their order`)
    const running = queue.redrives.find((r) => r.sub === e.sub && r.state === 'running')
    if (running !== undefined) refuse(`redrive ${e.task} begins while ${running.task} is not done`)
  }

  /** The task that a fact names; it must not be over. */
  #redrive(e: LogEventOf<'Redriven' | 'RedriveEnded'>): Redrive {
    const found = this.#queue(e.queue).redrives.find((r) => r.task === e.task && r.sub === e.sub)
    if (found?.state !== 'running') return refuse(`redrive ${e.task} of queue ${e.queue} is not running`)
    return found
  }

  #redriven(e: LogEventOf<'Redriven'>): void {
    const { state } = this
    const { to, upTo, moved, messagesMax, selection } = this.#redrive(e)
    const sub = this.#sub(e)
    const { numbers, target } = e
    const isSource = target.partition === state.partition && target.queue === e.queue
    // A queue that was made again has the name, and another id.
    if (isSource || (to !== 'origin' && (to.partition !== target.partition || to.name !== e.name)))
      refuse(`redrive ${e.task} does not go to queue ${target.queue} of partition ${target.partition}`)
    if (!rangesInOrder(numbers)) refuse(`redrive ${e.task} does not name messages in their order`)
    if (numbers.at(-2)! + numbers.at(-1)! - 1 > upTo)
      refuse(`redrive ${e.task} names a message beyond ${upTo}`)
    if (selection !== undefined && rangeTotal(intersectRanges(selection, numbers)) !== rangeTotal(numbers))
      refuse(`redrive ${e.task} moves what was not selected`)
    if (messagesMax > 0 && moved + rangeTotal(numbers) > messagesMax)
      refuse(`redrive ${e.task} moves more than ${messagesMax} messages`)
    const available = availableAmong(state, sub, numbers)
    if (available.length !== rangeTotal(numbers)) refuse(`redrive ${e.task} moves what is not available`)
    discard.reason = 'redriven'
    for (const { number, enqueuedAt } of available) {
      const slot = state.live.find(sub.index, number)
      const cell = slot < 0 ? untouchedCell(this.#cell) : loadCell(state.live, slot, this.#cell)
      if (!this.#law.step(cell, discard)) refuse(`${nameOf(e, number)} cannot be redriven`)
      if (enqueuedAt + sub.config.retentionMs <= state.at)
        refuse(`${nameOf(e, number)} is redriven after its retention`)
    }
    this.transitions += available.length
    this.#sent(e)
  }

  #discarded(e: LogEventOf<'Discarded'>): void {
    if (e.cause === 'retention') this.#checkRetention(e)
    this.#each(e, this.#failure(e), State.Discarded, e.cause === 'operator' ? 'anywhere' : 'inOrder')
    if (this.#cell.reason !== e.reason)
      refuse(`the reason is "${e.reason}", but by the law it is "${this.#cell.reason}"`)
  }

  #erased(e: LogEventOf<'Erased'>): void {
    const queue = this.#queue(e.queue)
    if (e.erasure < this.state.nextErasure) refuse(`erasure ${e.erasure} is on record twice`)
    if (queue.config.erasable !== (e.group === undefined ? 'message' : 'group'))
      refuse(`erasure ${e.erasure} is not one that queue ${e.queue} allows`)
    if ((e.by.reason ?? '') === '') refuse(`erasure ${e.erasure} has no reason`)
    eachNumber(e.numbers ?? [], (n) => {
      if (n < 1 || n >= queue.nextNumber) refuse(`${nameOf(e, n)} is erased, but never came`)
    })
  }

  /** The machine event behind a final fact. */
  #failure(e: LogEventOf<'DeadLettered' | 'Discarded'>): MachineEvent {
    const { policy } = this.#sub(e)
    switch (e.cause) {
      case 'retry':
        return this.#retry(e, 0)
      case 'leaseExpired':
        return this.#expiry(e, 0)
      case 'nextReceive':
        deliver.policy = policy
        return deliver
      case 'onPurpose':
        deadLetter.policy = policy
        return deadLetter
      case 'retention':
        return expire
      case 'operator':
        discard.reason = (e as LogEventOf<'Discarded'>).reason as 'operator'
        return discard
      case 'rollback':
        return rollback
    }
  }

  #checkRetention(e: LogEventOf<'Discarded'>): void {
    const { state } = this
    const sub = this.#sub(e)
    const { retentionMs } = sub.config
    eachNumber(e.numbers, (n) => {
      const slot = state.live.find(sub.index, n)
      const enqueuedAt = slot >= 0 ? state.live.enqueuedAt[slot]! : state.runs.enqueuedAt(this.#runOf(sub, n))
      if (enqueuedAt + retentionMs > state.at)
        refuse(`message ${n} of queue ${e.queue} is kept until ${enqueuedAt + retentionMs}, which is later`)
    })
  }

  /** The ready run that holds an untouched message. */
  #runOf(sub: Subscription, n: number): number {
    const { runs } = this.state
    for (const run of readyRuns(this.state, sub))
      if (runs.first(run) <= n && n < runs.first(run) + runs.count(run)) return run
    return refuse(`message ${n} of queue ${sub.queue.id} is neither live nor ready`)
  }

  /**
   * Runs one event of the machine on every message that the fact names; each must end in `outcome`.
   * @param untouched which messages may be meant that nobody has touched; `evolve` sees that they are the next ones
   */
  #each(
    e: Numbered,
    event: MachineEvent,
    outcome: State,
    untouched: 'none' | 'inOrder' | 'anywhere' = 'none',
  ): void {
    const sub = this.#sub(e)
    const { live } = this.state
    const { numbers } = e
    const cell = this.#cell
    const law = this.#law
    const byHandle = event.type !== 'DELIVER' && 'delivery' in event
    const anyLive = sub.available + sub.inflight + sub.waitingRetry > 0
    if (numbers.length > 2 && rangesOverlap(numbers)) refuse(`${e.type} names a message twice`)
    for (let i = 0; i < numbers.length; i += 2) {
      const first = numbers[i]!
      const count = numbers[i + 1]!
      for (let n = first; n < first + count; n++) {
        const slot = anyLive ? live.find(sub.index, n) : -1
        if (slot >= 0) loadCell(live, slot, cell)
        else if (untouched === 'none' || n >= sub.queue.nextNumber)
          refuse(`${nameOf(e, n)} is not live: it is final, or nobody ever received it`)
        else untouchedCell(cell)
        if (untouched === 'anywhere' && slot < 0) this.#findUntouched(sub, n)
        const from = cell.state
        if (byHandle) event.delivery = cell.delivery
        if (!law.step(cell, event))
          refuse(`${nameOf(e, n)} is ${stateNames[from]} and does not accept ${event.type}`)
        if (cell.state !== outcome)
          refuse(
            `${event.type} takes ${nameOf(e, n)} from ${stateNames[from]} to ${stateNames[cell.state]} by the law, not to ${stateNames[outcome]}`,
          )
      }
      this.transitions += count
    }
  }

  #findUntouched(sub: Subscription, n: number): void {
    if (findDelayed(this.state, sub.queue, n) !== undefined) this.#cell.state = State.Delayed
    else this.#runOf(sub, n)
  }

  // What crosses partitions

  #forwarded(e: LogEventOf<'Forwarded'>): void {
    const { state } = this
    const lane = state.outbox.get(laneKey(e.source, e.target))
    if (lane === undefined || e.upTo > lane.next)
      return refuse(`forwards up to ${e.upTo} are confirmed, but were never decided`)
    const from = lane.entries[0]?.forward
    if (from === undefined || e.upTo <= from || e.outcome !== 'stored') return
    this.#forwards.confirmed(
      { partition: state.partition, queue: e.source },
      e.target,
      from,
      e.upTo,
      this.#seq,
    )
  }

  /** Letters go to the queue that has the name of the one that is gone, or to where their subscription's setting says. */
  #readdressed(e: LogEventOf<'Readdressed'>): void {
    const { state } = this
    const { source, from, target, forwards } = e
    const lane = state.outbox.get(laneKey(source, from))
    if (forwards.length === 0 || !rangesInOrder(forwards))
      refuse(`letters of queue ${source} are not readdressed in their order`)
    const isBack = isSame(from, target) || isSame({ partition: state.partition, queue: source }, target)
    if (isBack) refuse(`letters of queue ${source} are readdressed to queue ${target.queue}`)
    const next = state.outbox.get(laneKey(source, target))?.next ?? state.firstForward
    if (e.forward !== next) refuse(`forward ${e.forward} comes where ${next} is next`)
    const entries = new Map(lane?.entries.map((entry) => [entry.forward, entry]))
    const isSameName =
      lane?.name === undefined || (lane.name === e.name && from.partition === target.partition)
    eachNumber(forwards, (forward) => {
      const entry = entries.get(forward)
      if (entry === undefined) return refuse(`forward ${forward} of queue ${source} is not on its way`)
      const sub = state.queues.get(source)?.named(entry.subscription ?? mainSubscription)
      const meant = entry.cause === 'redriven' ? undefined : sub?.config.deadLetter
      if (!isSameName && (meant === null || meant === undefined || !isSame(meant, target)))
        refuse(`forward ${forward} of queue ${source} is readdressed to "${e.name}", which nobody set`)
    })
    const place = { partition: state.partition, queue: source }
    this.#forwards.readdressed(place, from, forwards, this.#seq)
    this.#forwards.sent(place, target, e.forward, rangeTotal(forwards), this.#seq)
  }

  /** No letter is in them, and none follows: their queue was deleted, or the last letter just went elsewhere. */
  #lanesClosed({ source, targets }: LogEventOf<'LanesClosed'>): void {
    const { outbox, queues, partition } = this.state
    for (let i = 0; i < targets.length; i += 2) {
      const target = { partition: targets[i]!, queue: targets[i + 1]! }
      const lane = outbox.get(laneKey(source, target))
      if (lane !== undefined && (queues.has(source) || lane.entries.length > 0))
        refuse(`a lane of queue ${source} is closed that is in use`)
      this.#forwards.closed({ partition, queue: source }, target)
    }
  }

  #lanesForgotten({ partition, lanes }: LogEventOf<'LanesForgotten'>): void {
    for (let i = 0; i < lanes.length; i += 2) {
      const source = { partition, queue: lanes[i]! }
      if (!this.state.forwardsSeen.has(seenKey(source, lanes[i + 1]!)))
        refuse(`a lane of queue ${source.queue} of partition ${partition} is forgotten that nobody knew`)
      this.#forwards.forgotten(source, { partition: this.state.partition, queue: lanes[i + 1]! }, this.#seq)
    }
  }

  // Bodies

  #addBodies(queue: number, count: number): void {
    this.#bodies.set(queue, (this.#bodies.get(queue) ?? 0) + count)
  }

  #checkBodies(frame: FrameFacts): void {
    for (const [queue, count] of this.#bodies)
      if (frame.bodyCount(queue) !== count)
        refuse(`the frame holds ${frame.bodyCount(queue)} bodies of queue ${queue} for ${count} messages`)
    for (const queue of frame.bodyQueues)
      if (!this.#bodies.has(queue))
        refuse(`the frame holds bodies of queue ${queue}, but no message for them`)
  }

  #queue(id: number): QueueState {
    return this.state.queues.get(id) ?? refuse(`queue ${id} is not there`)
  }

  #sub(e: { readonly queue: number; readonly sub: number }): Subscription {
    return (
      this.state.subscriptionOf(e.queue, e.sub) ?? refuse(`subscription ${e.queue}/${e.sub} is not there`)
    )
  }
}

const isSame = (a: QueueAddress, b: QueueAddress): boolean =>
  a.partition === b.partition && a.queue === b.queue

const paused = (dueAt: number): State => (dueAt === 0 ? State.Available : State.WaitingRetry)

const liveIn = (q: QueueState): number => q.subs.reduce((sum, sub) => sum + sub.live, q.delayed)

const nameOf = (e: { readonly queue: number }, n: number): string => `message ${n} of queue ${e.queue}`
