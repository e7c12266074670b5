import { ChurnMap, type HeldLane, type Redrive } from '@kiroku/protocol'
import type { Flow } from '../flow/Flow.ts'
import type { OutboxLane } from '../forward/Outbox.ts'
import { Sweep } from '../queue/Sweep.ts'
import { namersByDeadLetter } from '../queue/namersByDeadLetter.ts'
import type { Poll } from '../receive/Poll.ts'
import { DryRuns } from '../redrive/DryRuns.ts'
import { SpreadProgress } from '../spread/SpreadProgress.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import type { Watcher } from '../state/Watcher.ts'
import { Heap } from '../store/Heap.ts'
import { Ages } from './Ages.ts'
import type { Followers } from './Followers.ts'
import { Receives } from './Receives.ts'
import { RepeatedDeliveries } from './RepeatedDeliveries.ts'
import { Times } from './Times.ts'

/**
 * What one ownership of a partition remembers beside the record: who waits here, what may be served, how long things take.
 * It begins empty on the state that the record gave, watches it from then on, and ends with the ownership.
 */
export class Ownership implements Watcher {
  readonly state: PartitionState
  /** Partitions of the log. */
  partitions: number
  /** Waiting receives by their id, and by the time at which each is looked at next. */
  readonly polls = new ChurnMap<string, Poll>()
  readonly pollTimers = new Heap<PollTimer>((t) => t.at)
  /** Subscriptions whose rate allows more later. */
  readonly flowTimers = new Heap<FlowTimer>((t) => t.at)
  /** Subscriptions whose receives may be served now. */
  readonly dirty = new Set<Subscription>()
  readonly sweep = new Sweep()
  /** How long messages take, and who receives them. */
  readonly times = new Times()
  readonly repeats = new RepeatedDeliveries()
  /** Lanes whose letters cannot arrive, as their targets said. */
  readonly held = new Map<OutboxLane, HeldLane>()
  readonly dryRuns = new DryRuns()
  /** Who is told what happens here; undefined while there are no followers. */
  followers: Followers | undefined
  /** Who waits until the parts of a deleted queue are gone. */
  awaitingGone: { readonly token: number; readonly queue: number; readonly ok: object }[] = []
  /** Who waits until keys are deleted. */
  awaitingErased: { readonly token: number; readonly erasure: number; readonly discarded: number }[] = []
  /** Made when it is first asked for: what nobody asks for costs nothing. */
  #ages: Ages | undefined
  /** Made when it is first asked for, and again after a change of settings. */
  #namers: ReadonlyMap<string, readonly QueueState[]> | undefined
  /** By the index of the subscription. */
  readonly #receives: (Receives | undefined)[] = []
  readonly #spreads = new Map<QueueState, SpreadProgress>()
  /** When the last receive of a queue that is deleted when idle came; of others, the beginning counts. */
  readonly #receivedAt = new Map<QueueState, number>()
  #beganAt: number
  #holdsUntouched = false

  /**
   * @param state rebuilt from the record, and watched from now on
   * @param partitions how many the log has
   */
  constructor(state: PartitionState, partitions = Number.POSITIVE_INFINITY) {
    this.state = state
    this.partitions = partitions
    this.#beganAt = state.at
    for (const sub of state.subscriptions) if (sub !== undefined) this.opened(sub)
    this.sweep.restart()
    state.watcher = this
  }

  /** Whether messages of a subscription that were never delivered wait. Ordered ones do not: few of a group are under way at once. */
  holdsUntouchedOf({ groups }: Subscription): boolean {
    return this.#holdsUntouched && groups?.isOrdered !== true
  }

  /** Has messages that were never delivered wait, since delivered ones take more memory, or wait no longer. */
  holdUntouched(holds: boolean): void {
    if (holds === this.#holdsUntouched) return
    this.#holdsUntouched = holds
    if (holds) return
    for (const sub of this.state.subscriptions) if (sub !== undefined && sub.ready > 0) this.dirty.add(sub)
  }

  /** The receives of a subscription that is there. */
  of(sub: Subscription): Receives {
    return this.#receives[sub.index]!
  }

  /** What a subscription may take; undefined where nothing limits it, or it is gone. */
  flowOf(sub: Subscription): Flow | undefined {
    const receives = this.#receives[sub.index]
    return receives?.flow
  }

  /** Whether a redrive, on record or not, is not done yet. */
  isRunning(redrive: Redrive): boolean {
    return this.state.redrives.has(redrive) || this.dryRuns.running.has(redrive)
  }

  /** How old the messages of each queue are. */
  get ages(): Ages {
    return (this.#ages ??= new Ages(this.state))
  }

  /** The queues here that name this one as their dead-letter queue, themselves or with a subscription. */
  namersOf(deadLetterQueue: string): readonly QueueState[] {
    this.#namers ??= namersByDeadLetter(this.state)
    return this.#namers.get(deadLetterQueue) ?? []
  }

  /** How far the parts of a spread queue follow. */
  progressOf(queue: QueueState): SpreadProgress {
    let progress = this.#spreads.get(queue)
    if (progress === undefined) this.#spreads.set(queue, (progress = new SpreadProgress()))
    return progress
  }

  /** When the queue was last received from, in ms of partition time. */
  receivedAt(queue: QueueState): number {
    return this.#receivedAt.get(queue) ?? this.#beganAt
  }

  /** Notes a receive; only queues that are deleted when idle need it. */
  received(queue: QueueState, now: number): void {
    if (queue.config.idleMs > 0) this.#receivedAt.set(queue, now)
  }

  /** Notes that the letters of a lane wait, and why. */
  hold(lane: OutboxLane, reason: HeldLane['reason'], now: number): void {
    const { held, state } = this
    const isEmpty = lane.entries.length === 0
    if (isEmpty || state.lane(lane.source, lane.target) !== lane) held.delete(lane)
    else if (held.get(lane)?.reason !== reason) held.set(lane, { reason, since: now })
  }

  look(sub: Subscription): void {
    this.dirty.add(sub)
  }

  becameAvailable(sub: Subscription): void {
    this.of(sub).availableSince = this.state.at
  }

  awaitsGroups(sub: Subscription): boolean {
    return !this.of(sub).groupPolls.isEmpty
  }

  groupCanDeliver(sub: Subscription, group: string): void {
    if (this.of(sub).groupPolls.wake(group)) this.dirty.add(sub)
  }

  entered(sub: Subscription, delivery: number, messages: number): void {
    this.of(sub).flow?.entered(delivery, messages)
  }

  left(sub: Subscription, delivery: number): void {
    this.of(sub).flow?.left(delivery)
    this.times.consumers.left(delivery)
  }

  counted(queue: QueueState, at: number, messages: number): void {
    this.#ages?.count(queue, at, messages)
  }

  expect(at: number): void {
    this.sweep.expect(at)
  }

  restartSweep(at?: number): void {
    this.sweep.restart(at)
  }

  opened(sub: Subscription): void {
    this.#namers = undefined
    this.#receives[sub.index] = new Receives(sub, this.state.at)
  }

  configured(sub: Subscription): void {
    this.#namers = undefined
    this.of(sub).configure(sub)
    this.dirty.add(sub)
  }

  closed(sub: Subscription): void {
    this.#namers = undefined
    this.dirty.delete(sub)
    this.dryRuns.fail(sub, this.state.at)
    this.times.deliveries.forget(sub)
    this.#receives[sub.index] = undefined
  }

  queueSeen(queue: QueueState): void {
    this.#receivedAt.set(queue, this.state.at)
  }

  queueClosed(queue: QueueState): void {
    this.#ages?.forget(queue)
    this.dryRuns.drop(queue)
    this.#spreads.delete(queue)
    this.#receivedAt.delete(queue)
    this.times.forget(queue.id)
  }

  clockResumed(): void {
    // Messages that came in the disputed time came at another one now.
    this.#ages = undefined
    this.#beganAt = this.state.at
    this.#receivedAt.clear()
    for (const sub of this.state.subscriptions) {
      const flow = sub && this.of(sub).flow
      if (flow === undefined) continue
      flow.restart(this.state.at)
      this.dirty.add(sub!)
    }
  }
}

/** A time at which a poll must be looked at; stale when the poll is done or has another time by now. */
export interface PollTimer {
  readonly poll: Poll
  readonly at: number
}

/** A time at which a subscription must be looked at for its flow; stale when the flow has another time by now. */
export interface FlowTimer {
  readonly sub: Subscription
  readonly flow: Flow
  readonly at: number
}
