import type { Policy } from '@kiroku/message'
import type { Hold, QueueConfig, SubscriptionSettings } from '@kiroku/protocol'
import type { RunList } from '../groups/Group.ts'
import { Groups } from '../groups/Groups.ts'
import type { Fill } from '../past/Fill.ts'
import type { QueueState } from './QueueState.ts'

const none = -1

/** One consumer group's delivery state over a queue, in one generation. */
export class Subscription implements RunList {
  /** Index in the partition's table of generations; live slots name their owner by it. */
  readonly index: number
  /** Id of the generation within the queue; 0 is the first `main`. */
  readonly id: number
  readonly name: string
  readonly queue: QueueState
  /** What it sets for itself; the rest is the queue's. */
  settings: SubscriptionSettings
  config: QueueConfig
  policy: Policy
  /** Tags of the messages that it wants; null: all. */
  tags: readonly string[] | null = null
  /** Deliveries of this subscription alone are paused. */
  deliveryPaused = false
  /** The last hold of its deliveries, which may be over. */
  hold: Hold | undefined
  /** Number of the first message that is its own; earlier ones that still wait for their time are not. */
  from = 1
  /** While messages of the past are restored, and nothing is delivered. */
  fill: Fill | undefined
  /** Messages that came to be its own, by a send, a forward or the end of a delay. */
  entered = 0
  /** Of a queue with message groups or tenants: these have the runs. */
  readonly groups: Groups | undefined
  /** Runs that are available, in order; 0 is none. */
  readyHead = 0
  readyTail = 0
  restoredTail = 0
  ready = 0
  readyBytes = 0
  /** List of touched messages that are available again. */
  head = none
  tail = none
  available = 0
  availableBytes = 0
  inflight = 0
  waitingRetry = 0
  committed = 0
  deadLettered = 0
  discarded = 0
  redelivered = 0
  /** Whether its rate, its messages in flight or its deliveries in flight have a limit. */
  isLimited = false

  constructor(index: number, id: number, name: string, queue: QueueState, settings: SubscriptionSettings) {
    this.index = index
    this.id = id
    this.name = name
    this.queue = queue
    this.settings = settings
    this.config = queue.config
    this.policy = policyOf(queue.config)
    this.configure(settings)
    const { groups } = queue.config
    this.groups = groups === 'none' ? undefined : new Groups(queue.groups, groups === 'ordered')
  }

  /** Messages that a receive could get now. */
  get deliverable(): number {
    return this.available + this.ready
  }

  /** Messages that are its own and not final. */
  get live(): number {
    return this.ready + this.available + this.inflight + this.waitingRetry
  }

  /** Whether a message with this tag passes the filter. */
  passes(tag: string): boolean {
    const { tags } = this
    return tags === null || tags.includes(tag)
  }

  /** Whether it delivers nothing at partition time `now`, in ms, whatever there is. */
  isPausedAt(now: number): boolean {
    return (
      this.deliveryPaused ||
      this.queue.deliveryPaused ||
      this.fill !== undefined ||
      this.holdAt(now) !== undefined
    )
  }

  /** The hold that is in force at partition time `now`, in ms. */
  holdAt(now: number): Hold | undefined {
    return this.hold !== undefined && this.hold.until > now ? this.hold : undefined
  }

  configure(settings: SubscriptionSettings): void {
    this.settings = settings
    const { tags = null, ...own } = settings
    this.tags = tags
    this.config = { ...this.queue.config, ...own }
    this.policy = policyOf(this.config)
    const { rateMax, inflightMax, concurrencyMax } = this.config
    this.isLimited = rateMax > 0 || inflightMax > 0 || concurrencyMax > 0
  }
}

const policyOf = (c: QueueConfig): Policy => ({
  attemptsMax: c.retriesMax + 1,
  exhaustion: c.exhaustion,
  hasDeadLetter: c.deadLetter !== null,
  lateHandles: c.lateHandles,
})
