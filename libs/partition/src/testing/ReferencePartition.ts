import { newCell, step, type MachineEvent, type MessageCell } from '@kiroku/message'
import {
  isFinal,
  State,
  stateNames,
  type LogEvent,
  type LogEventOf,
  type QueueConfig,
  type SubscriptionSettings,
} from '@kiroku/protocol'
import { ReferenceOutbox } from './ReferenceOutbox.ts'
import {
  bodyOf,
  configure,
  endRedrives,
  enter,
  forget,
  heldBy,
  isHeld,
  known,
  labels,
  type LawMessage,
  type LawQueue,
  type LawSub,
  leaveOut,
  newQueue,
  note,
  remember,
  subscribe,
  timeOf,
} from './ReferenceQueue.ts'
import { numbersOf } from './TestPartition.ts'
import { keyText } from './TestRepeats.ts'
import { moveSince } from './moveSince.ts'
import { endPast, restorePast } from './referencePast.ts'
import { extendOf, failureOf, lawful, notOverdue, releaseOf } from './lawfulEvents.ts'

/**
 * Reads the record message by message and holds every fact against the law. It keeps nothing but the law's
 * own cells, so that it shares no idea with the partition of how to remember them.
 */
export class ReferencePartition {
  readonly queues = new Map<number, LawQueue>()
  nextDelivery = 1
  readonly #used = new Set<number>()
  readonly outbox = new ReferenceOutbox()
  /** Since when clocks disagree: the time, and the next delivery. */
  #dispute: { readonly since: number; readonly delivery: number } | undefined

  /** Reads one frame. `bodies` are those that the frame adds, by queue. */
  read(events: readonly LogEvent[], at: number, bodies: (queue: number) => readonly Uint8Array[]): void {
    const used = new Map<number, number>()
    const nextBody = (queue: number): Uint8Array => {
      const i = used.get(queue) ?? 0
      used.set(queue, i + 1)
      const body = bodies(queue)[i]
      if (body === undefined) throw new Error(`the frame holds no body ${i} for queue ${queue}`)
      return body
    }
    for (const event of events) this.#read(event, at, nextBody)
    for (const [queue, count] of used)
      if (bodies(queue).length !== count) throw new Error(`the frame holds unnamed bodies of queue ${queue}`)
    for (const sub of this.#subs()) for (const [n, cell] of sub.cells) notOverdue(cell, at, n)
  }

  #read(e: LogEvent, at: number, nextBody: (queue: number) => Uint8Array): void {
    switch (e.type) {
      case 'QueueCreated':
        lawful(!this.#used.has(e.queue), 'a queue id that is used again')
        this.#used.add(e.queue)
        this.queues.set(e.queue, newQueue(e, at))
        return
      case 'QueueConfigured': {
        const q = this.#queue(e.queue)
        forget(q, at)
        q.config = e.config as unknown as QueueConfig
        forget(q, at)
        for (const sub of q.subs.values()) configure(q, sub, sub.settings)
        q.times.configured = at
        return
      }
      case 'QueueNoted':
        return note(this.#queue(e.queue), e, at)
      case 'QueueDeleted':
        this.queues.delete(this.#queue(e.queue).id)
        return
      case 'DeliveryPaused':
      case 'DeliveryResumed':
        if (e.sub === undefined) this.#queue(e.queue).paused = e.type === 'DeliveryPaused'
        else this.#sub(e.queue, e.sub).paused = e.type === 'DeliveryPaused'
        if (e.type === 'DeliveryResumed')
          for (const sub of this.#queue(e.queue).subs.values())
            if (e.sub === undefined || e.sub === sub.id) sub.held = { since: 0, until: 0 }
        return
      case 'DeliveryHeld': {
        const sub = this.#sub(e.queue, e.sub)
        lawful(e.until > Math.max(at, sub.held.until), `a hold until ${e.until}`)
        sub.held = { since: at, until: e.until }
        return
      }
      case 'SubscriptionCreated':
      case 'SubscriptionReset':
        return subscribe(this.#queue(e.queue), e)
      case 'SubscriptionConfigured':
        return configure(
          this.#queue(e.queue),
          this.#sub(e.queue, e.sub),
          e.settings as unknown as SubscriptionSettings,
        )
      case 'RunsRestored':
        return restorePast(this.#queue(e.queue), this.#sub(e.queue, e.sub), e, at)
      case 'SubscriptionFilled':
        return endPast(this.#queue(e.queue), this.#sub(e.queue, e.sub), at)
      case 'SubscriptionDeleted':
        lawful(this.#queue(e.queue).subs.delete(e.sub), 'the end of no subscription')
        endRedrives(this.#queue(e.queue), e.sub)
        return
      case 'Enqueued':
        remember(this.#queue(e.queue), e, at)
        for (let i = 0; i < e.count; i++) {
          const message = { enqueuedAt: at, times: [at], ...bodyOf(nextBody(e.queue)), ...labels(e) }
          this.#arrive(e.queue, e.first + i, message, e.dueAt, undefined, e.filteredBy)
        }
        return
      case 'Deduplicated': {
        const q = this.#queue(e.queue)
        lawful(e.originals.length > 0, 'a send that repeats nothing')
        for (const [i, original] of e.originals.entries())
          lawful(known(q, keyText(e.keys, i), at) === original, `a repeat of message ${original}`)
        return
      }
      case 'ForwardReceived':
        for (let i = 0; i < e.count; i++) {
          const arrival = this.#queue(e.queue).config.retentionFrom === 'arrival'
          const enqueuedAt = arrival ? at : e.enqueuedAt[i]!
          const times = [at, e.enqueuedAt[i]!]
          const only = e.only === undefined ? undefined : (this.#queue(e.queue).subs.get(e.only)?.name ?? '')
          const message = { enqueuedAt, times, only, ...bodyOf(nextBody(e.queue)), ...labels(e) }
          this.#arrive(e.queue, e.first + i, message, 0, e.only, e.filteredBy)
        }
        return
      case 'DelayElapsed':
        return this.#elapse(e, at)
      case 'Recalled':
        lawful(this.#queue(e.queue).delayed.delete(e.number), 'a recall of what is not delayed')
        for (const [key, { number }] of this.#queue(e.queue).keys)
          if (number === e.number) this.#queue(e.queue).keys.delete(key)
        this.#queue(e.queue).recalled.add(e.number)
        return this.#ofAll(e, { type: 'RECALL' }, State.Discarded)
      case 'Rescheduled':
        lawful(this.#queue(e.queue).delayed.has(e.number), 'another time for what is not delayed')
        lawful(e.dueAt >= at, `another time for message ${e.number} that is over`)
        this.#queue(e.queue).dueAt.set(e.number, e.dueAt)
        return this.#ofAll(e, { type: 'RESCHEDULE', now: at, dueAt: e.dueAt }, State.Delayed)
      case 'Delivered':
        return this.#deliver(e, at)
      case 'Acked': {
        const { policy } = this.#sub(e.queue, e.sub)
        const ack = (c: MessageCell): MachineEvent => ({ type: 'ACK', delivery: c.delivery, policy })
        return this.#each(e, e.numbers, ack, State.Committed)
      }
      case 'RetryScheduled':
      case 'LeaseExpired': {
        const { policy } = this.#sub(e.queue, e.sub)
        const dueAt = e.dueAt === 0 ? at : e.dueAt
        const event = (c: MessageCell): MachineEvent =>
          e.type === 'LeaseExpired'
            ? { type: 'LEASE_EXPIRED', now: at, dueAt, policy }
            : { type: 'RETRY', now: at, delivery: c.delivery, dueAt, policy }
        return this.#each(e, e.numbers, event, e.dueAt === 0 ? State.Available : State.WaitingRetry)
      }
      case 'RetryDue':
        return this.#each(e, e.numbers, () => ({ type: 'RETRY_DUE', now: at }), State.Available)
      case 'Released':
        return this.#each(e, e.numbers, (c) => releaseOf(c.delivery, at, 0), State.Available)
      case 'Deferred':
        return this.#each(
          e,
          e.numbers,
          (c) => releaseOf(c.delivery, at, e.dueAt),
          e.dueAt === 0 ? State.Available : State.WaitingRetry,
        )
      case 'LeaseExtended': {
        if (e.attempt !== undefined) {
          const held = heldBy(this.#sub(e.queue, e.sub), e.attempt, at)
          lawful(String(held) === String(numbersOf(e.numbers)), `what attempt ${e.attempt} gets again`)
        }
        const extend = (c: MessageCell): MachineEvent => extendOf(c.delivery, e.leaseUntil, at)
        return this.#each(e, e.numbers, extend, State.Inflight)
      }
      case 'DeadLettered': {
        const { policy } = this.#sub(e.queue, e.sub)
        this.#leave(e)
        return this.#each(e, e.numbers, (c) => failureOf(e.cause, c, at, policy), State.DLQ)
      }
      case 'Discarded':
        return this.#discard(e, at)
      case 'BodyEdited': {
        const q = this.#queue(e.queue)
        lawful(isHeld(q, e.number), `the body of message ${e.number} edited, which nobody has`)
        for (const { cells } of q.subs.values())
          lawful(cells.get(e.number)?.state !== State.Inflight, `message ${e.number} edited in flight`)
        q.messages.get(e.number)!.body = nextBody(e.queue)
        return
      }
      case 'RedriveStarted': {
        const { redrives } = this.#queue(e.queue)
        lawful(![...redrives.values()].some((r) => r.sub === e.sub), 'two redrives at once')
        redrives.set(e.task, {
          sub: e.sub,
          upTo: e.upTo,
          only: e.selection && new Set(numbersOf(e.selection)),
        })
        return
      }
      case 'RedriveEnded':
        lawful(this.#queue(e.queue).redrives.delete(e.task), 'the end of no redrive')
        return
      case 'Redriven':
        return this.#redrive(e, at)
      case 'Forwarded':
        return this.outbox.forwarded(e)
      case 'Readdressed':
        return this.outbox.readdressed(e, this.queues.get(e.source))
      case 'LanesClosed':
        return this.outbox.closed(e, this.queues.has(e.source))
      case 'QueuePurged':
        for (const sub of this.#queue(e.queue).subs.values())
          for (const [n, cell] of sub.cells)
            if (n < e.upTo && !isFinal(cell.state)) lawful(step(cell, { type: 'PURGE' }), 'a purge')
        this.#queue(e.queue).delayed.clear()
        this.#queue(e.queue).keys.clear()
        Object.assign(this.#queue(e.queue), { purgedTo: e.upTo }).times.purged = at
        for (const sub of this.#queue(e.queue).subs.values()) leaveOut(sub)
        return
      case 'ClockResumed':
        for (const sub of this.#subs())
          for (const cell of sub.cells.values()) if (cell.state === State.Inflight) cell.leaseUntil += e.gapMs
        if (this.#dispute !== undefined) moveSince(this.queues.values(), this.#dispute, e.gapMs)
        lawful(e.now >= at, 'time that goes back')
        if (e.dispute === undefined) this.#dispute = undefined
        else this.#dispute ??= { since: e.now, delivery: this.nextDelivery }
        return
    }
  }

  *#subs(): Generator<LawSub> {
    for (const q of this.queues.values()) yield* q.subs.values()
  }

  #sub(queue: number, id: number): LawSub {
    const sub = this.#queue(queue).subs.get(id)
    if (sub === undefined) throw new Error(`a fact names subscription ${queue}/${id}, which is not there`)
    return sub
  }

  #queue(id: number): LawQueue {
    const queue = this.queues.get(id)
    if (queue === undefined) throw new Error(`a fact names queue ${id}, which is not there`)
    return queue
  }

  #arrive(
    queue: number,
    n: number,
    message: LawMessage,
    dueAt: number,
    only: number | undefined,
    filteredBy: readonly number[] | undefined,
  ): void {
    const q = this.#queue(queue)
    lawful(n === q.messages.size + 1, `message ${n} that comes after ${q.messages.size}`)
    q.messages.set(n, message)
    if (dueAt !== 0) {
      q.delayed.add(n)
      q.dueAt.set(n, dueAt)
    }
    for (const sub of q.subs.values()) {
      sub.cells.set(n, dueAt === 0 ? newCell(State.Available) : newCell(State.Delayed, dueAt))
      if (dueAt === 0) enter(sub, n, message, only, filteredBy)
    }
  }

  #elapse(e: LogEventOf<'DelayElapsed'>, at: number): void {
    const q = this.#queue(e.queue)
    for (const n of numbersOf(e.numbers)) {
      lawful(q.delayed.delete(n), `the end of a delay of message ${n}, which has none`)
      for (const sub of q.subs.values()) {
        const cell = sub.cells.get(n)
        if (cell === undefined) continue
        lawful(step(cell, { type: 'DELAY_ELAPSED', now: at }), `the delay of message ${n} elapses early`)
        enter(sub, n, q.messages.get(n)!, undefined, e.filteredBy)
      }
    }
  }

  /** What happens to one message under every subscription that it is for. */
  #ofAll(e: { readonly queue: number; readonly number: number }, event: MachineEvent, becomes: State): void {
    for (const sub of this.#queue(e.queue).subs.values())
      if (sub.cells.has(e.number))
        this.#each({ queue: e.queue, sub: sub.id }, [e.number, 1], () => event, becomes)
  }

  #each(
    { queue, sub }: { readonly queue: number; readonly sub: number },
    numbers: readonly number[],
    event: (cell: MessageCell) => MachineEvent,
    becomes: State,
  ): void {
    const { cells } = this.#sub(queue, sub)
    for (const n of numbersOf(numbers)) {
      const cell = cells.get(n)!
      const was = stateNames[cell.state]
      const happens = event(cell)
      lawful(step(cell, happens), `${happens.type} of message ${n}, which is ${was}`)
      lawful(
        cell.state === becomes,
        `message ${n} in ${stateNames[becomes]}: by the law ${stateNames[cell.state]}`,
      )
    }
  }

  #deliver(e: LogEventOf<'Delivered'>, at: number): void {
    const q = this.#queue(e.queue)
    const sub = this.#sub(e.queue, e.sub)
    const { leaseUntil, leaseCap, delivery } = e
    lawful(!q.paused && !sub.paused, 'a delivery while paused')
    lawful(sub.held.until <= at, `a delivery while held until ${sub.held.until}`)
    lawful(sub.past === undefined, 'a delivery before the past is restored')
    lawful(e.numbers.length > 0, 'an empty delivery')
    lawful(delivery === this.nextDelivery, 'a delivery number out of turn')
    this.nextDelivery++
    lawful(leaseUntil >= at && (leaseCap === 0 || leaseUntil <= leaseCap), 'a lease out of bounds')
    if (e.attempt !== undefined) {
      lawful(heldBy(sub, e.attempt, at).length === 0, `another batch for attempt ${e.attempt}`)
      sub.attempts.set(e.attempt, { delivery, numbers: numbersOf(e.numbers), at })
    }
    const deliver = { type: 'DELIVER', delivery, leaseUntil, leaseCap, policy: sub.policy } as const
    this.#each(e, e.numbers, () => deliver, State.Inflight)
    for (const n of numbersOf(e.numbers)) {
      const m = q.messages.get(n)!
      const cell = sub.cells.get(n)!
      lawful(cell.attempt <= sub.attemptsMax, `attempt ${cell.attempt} of message ${n}`)
      lawful(cell.attemptsMax === e.attemptsMax, 'a limit that is not in force')
      lawful(timeOf(sub, n, m) + q.config.retentionMs > at, `message ${n} delivered after its retention`)
      if (q.config.groups !== 'ordered') continue
      for (const before of sub.groups.get(m.group)!) {
        if (before === n) break
        const c = sub.cells.get(before)!
        lawful(isFinal(c.state) || c.delivery === delivery, `message ${n} delivered ahead of ${before}`)
      }
    }
  }

  #leave(e: LogEventOf<'DeadLettered' | 'Redriven'>): void {
    const { name: sub, config } = this.#sub(e.queue, e.sub)
    const isRedriven = e.type === 'Redriven'
    const letters = numbersOf(e.numbers).map((number) => ({ number, sub: isRedriven ? undefined : sub }))
    this.outbox.enter(e.queue, e.target, isRedriven ? e.name : config.deadLetter!.name, e.forward, letters)
  }

  #redrive(e: LogEventOf<'Redriven'>, at: number): void {
    const q = this.#queue(e.queue)
    const redrive = q.redrives.get(e.task)
    lawful(redrive?.sub === e.sub, `messages of redrive ${e.task}, which is not running`)
    lawful(e.numbers.length > 0, 'a redrive of nothing')
    for (const n of numbersOf(e.numbers)) {
      const { state } = this.#sub(e.queue, e.sub).cells.get(n)!
      lawful(state === State.Available, `message ${n} redriven in ${stateNames[state]}`)
      lawful(n <= redrive!.upTo, `message ${n} redriven beyond ${redrive!.upTo}`)
      lawful(redrive!.only?.has(n) !== false, `message ${n} redriven, which was not selected`)
      lawful(q.messages.get(n)!.enqueuedAt + q.config.retentionMs > at, `message ${n} redriven too late`)
    }
    this.#leave(e)
    return this.#each(e, e.numbers, () => ({ type: 'DISCARD', reason: 'redriven' }), State.Discarded)
  }

  #discard(e: LogEventOf<'Discarded'>, at: number): void {
    const q = this.#queue(e.queue)
    const sub = this.#sub(e.queue, e.sub)
    if (e.reason === 'erased') {
      // It never became available, so that it is not of the past either.
      for (const n of numbersOf(e.numbers)) if (q.delayed.delete(n)) q.recalled.add(n)
      return this.#each(e, e.numbers, () => ({ type: 'DISCARD', reason: 'erased' }), State.Discarded)
    }
    if (e.cause === 'operator')
      return this.#each(e, e.numbers, () => ({ type: 'DISCARD', reason: 'operator' }), State.Discarded)
    if (e.cause !== 'retention') {
      const cause = e.cause as LogEventOf<'DeadLettered'>['cause']
      return this.#each(e, e.numbers, (c) => failureOf(cause, c, at, sub.policy), State.Discarded)
    }
    for (const n of numbersOf(e.numbers)) {
      const m = q.messages.get(n)!
      lawful(timeOf(sub, n, m) + q.config.retentionMs <= at, `message ${n} expired early`)
      const { state } = sub.cells.get(n)!
      lawful(state === State.Available, `message ${n} expired in ${stateNames[state]}`)
    }
    return this.#each(e, e.numbers, () => ({ type: 'EXPIRE' }), State.Discarded)
  }
}
