import {
  isFinal,
  newCell,
  State,
  stateNames,
  step,
  type LogEvent,
  type LogEventOf,
  type MachineEvent,
  type MessageCell,
  type Policy,
} from '@kiroku/message'
import type { QueueConfig, SettleItem } from './index.ts'
import { numbersOf } from './TestPartition.ts'

/** One message as the record tells it. */
interface LawMessage {
  readonly cell: MessageCell
  readonly enqueuedAt: number
  readonly body: Uint8Array
}

/** One queue as the record tells it. */
export interface LawQueue {
  readonly id: number
  readonly name: string
  config: QueueConfig
  policy: Policy
  /** Most attempts that any configuration so far allowed, and one more once it was changed. */
  attemptsMax: number
  paused: boolean
  readonly messages: Map<number, LawMessage>
}

type Settlement = 'Ack' | 'Retry' | 'Extend' | 'Release' | 'DeadLetter'

/**
 * Reads the record message by message and holds every fact against the law. It keeps nothing but the law's
 * own cells, so that it shares no idea with the partition of how to remember them.
 */
export class TestLaw {
  readonly queues = new Map<number, LawQueue>()
  nextDelivery = 1
  readonly #used = new Set<number>()

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
    for (const q of this.queues.values()) for (const [n, m] of q.messages) notOverdue(m.cell, at, n)
  }

  #read(e: LogEvent, at: number, nextBody: (queue: number) => Uint8Array): void {
    switch (e.type) {
      case 'QueueCreated':
        return this.#create(e)
      case 'QueueConfigured': {
        const q = this.#queue(e.queue)
        q.config = e.config as unknown as QueueConfig
        q.policy = policyOf(q.config)
        q.attemptsMax = Math.max(q.attemptsMax, q.policy.attemptsMax + 1)
        return
      }
      case 'QueueDeleted':
        this.queues.delete(this.#queue(e.queue).id)
        return
      case 'DeliveryPaused':
      case 'DeliveryResumed':
        this.#queue(e.queue).paused = e.type === 'DeliveryPaused'
        return
      case 'Enqueued':
        for (let i = 0; i < e.count; i++) {
          const cell = e.dueAt === 0 ? newCell(State.Available) : newCell(State.Delayed, e.dueAt)
          this.#arrive(e.queue, e.first + i, { cell, enqueuedAt: at, body: nextBody(e.queue) })
        }
        return
      case 'ForwardReceived':
        for (let i = 0; i < e.count; i++) {
          const arrival = this.#queue(e.queue).config.retentionFrom === 'arrival'
          const enqueuedAt = arrival ? at : e.enqueuedAt[i]!
          this.#arrive(e.queue, e.first + i, { cell: newCell(), enqueuedAt, body: nextBody(e.queue) })
        }
        return
      case 'DelayElapsed':
        return this.#each(e.queue, e.numbers, () => ({ type: 'DELAY_ELAPSED', now: at }), State.Available)
      case 'Delivered':
        return this.#deliver(e, at)
      case 'Acked': {
        const { policy } = this.#queue(e.queue)
        const ack = (c: MessageCell): MachineEvent => ({ type: 'ACK', delivery: c.delivery, policy })
        return this.#each(e.queue, e.numbers, ack, State.Committed)
      }
      case 'RetryScheduled':
      case 'LeaseExpired': {
        const { policy } = this.#queue(e.queue)
        const dueAt = e.dueAt === 0 ? at : e.dueAt
        const event = (c: MessageCell): MachineEvent =>
          e.type === 'LeaseExpired'
            ? { type: 'LEASE_EXPIRED', now: at, dueAt, policy }
            : { type: 'RETRY', now: at, delivery: c.delivery, dueAt, policy }
        return this.#each(e.queue, e.numbers, event, e.dueAt === 0 ? State.Available : State.WaitingRetry)
      }
      case 'RetryDue':
        return this.#each(e.queue, e.numbers, () => ({ type: 'RETRY_DUE', now: at }), State.Available)
      case 'Released':
        return this.#each(e.queue, e.numbers, releaseOf, State.Available)
      case 'LeaseExtended': {
        const extend = (c: MessageCell): MachineEvent => extendOf(c.delivery, e.leaseUntil, at)
        return this.#each(e.queue, e.numbers, extend, State.Inflight)
      }
      case 'DeadLettered': {
        const { policy } = this.#queue(e.queue)
        return this.#each(e.queue, e.numbers, (c) => failureOf(e.cause, c, at, policy), State.DLQ)
      }
      case 'Discarded':
        return this.#discard(e, at)
      case 'QueuePurged':
        for (const [n, m] of this.#queue(e.queue).messages)
          if (n < e.upTo && !isFinal(m.cell.state)) lawful(step(m.cell, { type: 'PURGE' }), 'a purge')
        return
      case 'ClockResumed':
        for (const q of this.queues.values())
          for (const m of q.messages.values())
            if (m.cell.state === State.Inflight) m.cell.leaseUntil += e.gapMs
        return
    }
  }

  #create(e: LogEventOf<'QueueCreated'>): void {
    const config = e.config as unknown as QueueConfig
    const policy = policyOf(config)
    const { attemptsMax } = policy
    lawful(!this.#used.has(e.queue), 'a queue id that is used again')
    this.#used.add(e.queue)
    this.queues.set(e.queue, {
      id: e.queue,
      name: e.name,
      config,
      policy,
      attemptsMax,
      paused: false,
      messages: new Map(),
    })
  }

  #queue(id: number): LawQueue {
    const queue = this.queues.get(id)
    if (queue === undefined) throw new Error(`a fact names queue ${id}, which is not there`)
    return queue
  }

  #arrive(queue: number, n: number, message: LawMessage): void {
    const { messages } = this.#queue(queue)
    lawful(n === messages.size + 1, `message ${n} that comes after ${messages.size}`)
    messages.set(n, message)
  }

  #each(
    queue: number,
    numbers: readonly number[],
    event: (cell: MessageCell) => MachineEvent,
    becomes: State,
  ): void {
    const { messages } = this.#queue(queue)
    for (const n of numbersOf(numbers)) {
      const { cell } = messages.get(n)!
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
    const { leaseUntil, leaseCap, delivery } = e
    lawful(!q.paused, 'a delivery while paused')
    lawful(e.numbers.length > 0, 'an empty delivery')
    lawful(delivery === this.nextDelivery, 'a delivery number out of turn')
    this.nextDelivery++
    lawful(leaseUntil > at && (leaseCap === 0 || leaseUntil <= leaseCap), 'a lease out of bounds')
    const deliver = { type: 'DELIVER', delivery, leaseUntil, leaseCap, policy: q.policy } as const
    this.#each(e.queue, e.numbers, () => deliver, State.Inflight)
    for (const n of numbersOf(e.numbers)) {
      const m = q.messages.get(n)!
      lawful(m.cell.attempt <= q.attemptsMax, `attempt ${m.cell.attempt} of message ${n}`)
      lawful(m.cell.attemptsMax === e.attemptsMax, 'a limit that is not in force')
      lawful(m.enqueuedAt + q.config.retentionMs > at, `message ${n} delivered after its retention`)
    }
  }

  #discard(e: LogEventOf<'Discarded'>, at: number): void {
    const q = this.#queue(e.queue)
    if (e.cause !== 'retention') {
      const cause = e.cause as LogEventOf<'DeadLettered'>['cause']
      return this.#each(e.queue, e.numbers, (c) => failureOf(cause, c, at, q.policy), State.Discarded)
    }
    for (const n of numbersOf(e.numbers)) {
      const m = q.messages.get(n)!
      lawful(m.enqueuedAt + q.config.retentionMs <= at, `message ${n} expired early`)
      lawful(m.cell.state === State.Available, `message ${n} expired in ${stateNames[m.cell.state]}`)
    }
    return this.#each(e.queue, e.numbers, () => ({ type: 'EXPIRE' }), State.Discarded)
  }

  /** What the law says to a settling command: the message numbers that are refused, in order. */
  refusals(
    type: Settlement,
    items: readonly SettleItem[],
    at: number,
    options: { readonly dueAt: number; readonly leaseMs: number },
  ): number[] {
    const cells = new Map<string, MessageCell>()
    const refused: number[] = []
    for (const item of items) {
      const q = item.sub === 0 ? this.queues.get(item.queue) : undefined
      for (const n of numbersOf(item.numbers)) {
        const m = q?.messages.get(n)
        const known = item.delivery > 0 && item.delivery < this.nextDelivery
        if (q === undefined || m === undefined || !known) {
          refused.push(n)
          continue
        }
        const key = `${q.id}/${n}`
        const cell = cells.get(key) ?? { ...m.cell }
        cells.set(key, cell)
        // A final message cannot tell which deliveries it had; nor can one that was never touched.
        const gone = isFinal(cell.state) || cell.delivery === 0
        if (gone ? type === 'Ack' : settled(type, cell, item.delivery, at, q.policy, options)) continue
        refused.push(n)
      }
    }
    return refused
  }
}

const settled = (
  type: Settlement,
  cell: MessageCell,
  delivery: number,
  now: number,
  policy: Policy,
  { dueAt, leaseMs }: { readonly dueAt: number; readonly leaseMs: number },
): boolean => {
  if (delivery > cell.delivery) return false
  switch (type) {
    case 'Ack':
      return step(cell, { type: 'ACK', delivery, policy })
    case 'Retry':
      return step(cell, { type: 'RETRY', now, delivery, dueAt, policy })
    case 'Extend':
      return step(cell, extendOf(delivery, now + leaseMs, now))
    case 'Release':
      return step(cell, { type: 'RELEASE', delivery })
    case 'DeadLetter':
      return step(cell, { type: 'DEAD_LETTER', delivery, policy })
  }
}

const policyOf = (c: QueueConfig): Policy => ({
  attemptsMax: c.retriesMax + 1,
  exhaustion: c.exhaustion,
  hasDeadLetter: c.deadLetter !== null,
  lateHandles: c.lateHandles,
})

const releaseOf = (c: MessageCell): MachineEvent => ({ type: 'RELEASE', delivery: c.delivery })

const extendOf = (delivery: number, leaseUntil: number, now: number): MachineEvent => ({
  type: 'EXTEND',
  now,
  delivery,
  leaseUntil,
})

/** The event behind a message that left because it failed. */
const failureOf = (
  cause: LogEventOf<'DeadLettered'>['cause'],
  { delivery }: MessageCell,
  now: number,
  policy: Policy,
): MachineEvent => {
  switch (cause) {
    case 'retry':
      return { type: 'RETRY', now, delivery, dueAt: now, policy }
    case 'leaseExpired':
      return { type: 'LEASE_EXPIRED', now, dueAt: now, policy }
    case 'nextReceive':
      return { type: 'DELIVER', delivery: delivery + 1, leaseUntil: now + 1, leaseCap: 0, policy }
    case 'onPurpose':
      return { type: 'DEAD_LETTER', delivery, policy }
  }
}

const notOverdue = (c: MessageCell, now: number, n: number): void => {
  const waits = c.state === State.Delayed || c.state === State.WaitingRetry
  lawful(!waits || c.dueAt > now, `message ${n} left behind by its timer`)
  lawful(c.state !== State.Inflight || c.leaseUntil > now, `message ${n} left behind by its lease`)
}

const lawful = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`the record holds what the law forbids: ${what}`)
}
