import type { LogEvent } from '@kiroku/protocol'
import { isFinal } from '../world/Life.ts'
import type { Move } from '../world/Move.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

const anywhere = 'Delayed Available Inflight WaitingRetry'

/** What each fact may do to a message: from which states, and into which. */
const transitions: Partial<
  Record<LogEvent['type'], readonly { readonly from: string; readonly to: string }[]>
> = {
  DelayElapsed: [{ from: 'Delayed', to: 'Available Discarded' }],
  Recalled: [{ from: 'Delayed', to: 'Discarded' }],
  Rescheduled: [{ from: 'Delayed', to: 'Delayed' }],
  Delivered: [{ from: 'Available', to: 'Inflight' }],
  LeaseExtended: [{ from: 'Inflight', to: 'Inflight' }],
  Released: [{ from: 'Inflight', to: 'Available' }],
  Deferred: [{ from: 'Inflight', to: 'Available WaitingRetry' }],
  Acked: [{ from: 'Inflight Available WaitingRetry', to: 'Committed' }],
  RetryScheduled: [{ from: 'Inflight', to: 'Available WaitingRetry' }],
  LeaseExpired: [{ from: 'Inflight', to: 'Available WaitingRetry' }],
  RetryDue: [{ from: 'WaitingRetry', to: 'Available' }],
  DeadLettered: [{ from: 'Inflight Available', to: 'DLQ' }],
  // What is erased is discarded in whatever state it is.
  Discarded: [{ from: anywhere, to: 'Discarded' }],
  Redriven: [{ from: 'Available', to: 'Discarded' }],
  QueuePurged: [{ from: anywhere, to: 'Discarded' }],
  QueueDeleted: [{ from: anywhere, to: 'Discarded' }],
  SubscriptionReset: [{ from: anywhere, to: 'Discarded' }],
  SubscriptionDeleted: [{ from: anywhere, to: 'Discarded' }],
}

/** Every transition of the law, as `from event to`. */
export const lawfulTransitions = (): string[] =>
  Object.entries(transitions).flatMap(([event, all]) =>
    all.flatMap(({ from, to }) =>
      from.split(' ').flatMap((f) => to.split(' ').map((t) => `${f} ${event} ${t}`)),
    ),
  )

const lawful: ReadonlySet<string> = new Set(lawfulTransitions())

/** Invariant 2, without the law's own code: no transition that is none, no timer early by partition time. */
export class LawChecker implements Checker {
  readonly name = 'law'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  moving(move: Move): void {
    const { event, life, to } = move
    const transition = `${life.state} ${event.type} ${to}`
    this.#world.coverage.add('transition', transition)
    // What is final is another checker's.
    if (isFinal(life.state)) return
    if (!lawful.has(transition)) throw this.#object(move, `${transition} is no transition`)
    this.#timely(move)
    if (event.type === 'Acked' && life.state !== 'Inflight' && life.attempt === 0)
      throw this.#object(move, 'it is acknowledged and was never delivered')
  }

  #timely(move: Move): void {
    const { event, life, frame } = move
    const { at } = frame.record
    if ((event.type === 'DelayElapsed' || event.type === 'RetryDue') && at < life.dueAt)
      throw this.#object(move, `${event.type} at ${at}, which is before ${life.dueAt}`)
    if (isExpiry(event) && at < life.leaseUntil)
      throw this.#object(move, `its lease expires at ${at}, which is before ${life.leaseUntil}`)
  }

  #object({ frame, queue, message }: Move, text: string): Objection {
    const where = `${frame.partition}/${queue.id}/${message.number} at ${frame.seq}`
    return new Objection(this.name, `${where}: ${text}`)
  }
}

const isExpiry = (e: LogEvent): boolean =>
  e.type === 'LeaseExpired' ||
  ((e.type === 'DeadLettered' || e.type === 'Discarded') && e.cause === 'leaseExpired')
