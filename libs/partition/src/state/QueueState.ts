import type { Policy } from '@kiroku/message'
import {
  type AppliedSection,
  type DeadLetterTarget,
  attemptsMaxOf,
  defaultQueueConfig,
  type Hold,
  isSameQueue,
  limits,
  type QueueAddress,
  type QueueConfig,
  type Redrive,
  requireKnown,
  requireKnownOwn,
  type SubscriptionSettings,
} from '@kiroku/protocol'
import type { RunList } from '../groups/Group.ts'
import type { GroupColumns } from '../groups/GroupColumns.ts'
import { Groups } from '../groups/Groups.ts'
import type { Fill } from '../past/Fill.ts'
import type { Place, Spread } from '../spread/Spread.ts'

const none = -1

/** One queue: its configuration, what waits for its time, and its subscriptions. */
export class QueueState {
  readonly id: number
  readonly name: string
  /** Where the groups of its subscriptions lie. */
  readonly groups: GroupColumns
  /** The configuration as the record has it; settings that are younger than it are not there. */
  recorded: Partial<QueueConfig>
  config: QueueConfig
  /** Digest of the section of each source that was applied last, the latest at the end. */
  readonly applied = new Map<string, string>()
  /** Texts by their names, which the engine goes by in nothing. */
  readonly notes = new Map<string, string>()
  /** When it was created, last changed and last purged, in ms of partition time; 0: before this was kept, or never. */
  createdAt = 0
  configuredAt = 0
  purgedAt = 0
  deliveryPaused = false
  /** Number of the next message. */
  nextNumber = 1
  /** Everything below was purged. */
  purgedTo = 0
  /** Numbers that repairs left out. */
  skipped = 0
  /** Messages that wait for their time, for all subscriptions together. */
  delayed = 0
  /** The frame in which the last message came and how many came in it: their places among its bodies. */
  frameSeq = 0
  frameCount = 0
  /** The frame in which a body was last edited; 0: never. */
  editedSeq = 0
  /** Whether it got letters from lanes that were forgotten since. */
  hadForwards = false
  /** Id of the next generation of a subscription. */
  nextSub = 0
  /** Redrives on record, oldest first: those that run, and some that ended. */
  redrives: Redrive[] = []
  /** Number of the next redrive. */
  nextRedrive = 1
  /** Subscriptions in the order of their creation. */
  readonly subs: Subscription[] = []
  /** Of a queue that was spread over several partitions: its parts. */
  spread: Spread | undefined
  /** Of a part of a spread queue: its home. */
  place: Place | undefined

  /** Errors: `FutureVersion`, for settings that a newer version recorded; also of `configure` and `open`. */
  constructor(id: number, name: string, recorded: Partial<QueueConfig>, groups: GroupColumns) {
    requireKnown(recorded, name)
    this.id = id
    this.name = name
    this.groups = groups
    this.recorded = recorded
    this.config = { ...defaultQueueConfig, ...recorded }
  }

  /** Messages that ever came in. */
  get sent(): number {
    return this.nextNumber - 1 - this.skipped
  }

  /** The subscription of that name. */
  named(name: string): Subscription | undefined {
    for (const sub of this.subs) if (sub.name === name) return sub
    return undefined
  }

  /**
   * Generations whose filter a message with this tag does not pass; nothing when it passes all.
   * @param only generation that it is for; absent: all
   */
  filteredBy(tag: string, only?: number): number[] | undefined {
    let filtered: number[] | undefined
    const { subs } = this
    for (let i = 0; i < subs.length; i++) {
      const { id } = subs[i]!
      if (!subs[i]!.passes(tag) || (only !== undefined && id !== only)) (filtered ??= []).push(id)
    }
    return filtered
  }

  /** Where the queue and its subscriptions set another queue as their dead-letter queue. */
  deadLettersTo(target: QueueAddress): { deadLetter: DeadLetterTarget; sub?: Subscription }[] {
    const { deadLetter } = this.config
    const found = deadLetter !== null && isSameQueue(deadLetter, target) ? [{ deadLetter }] : []
    const ofSubs = this.subs.flatMap((sub) => {
      const { deadLetter = null } = sub.settings
      return deadLetter !== null && isSameQueue(deadLetter, target) ? [{ deadLetter, sub }] : []
    })
    return [...found, ...ofSubs]
  }

  /** Opens a generation of a subscription; one of the same name gives it its place. */
  open(index: number, id: number, name: string, settings: SubscriptionSettings): Subscription {
    const sub = new Subscription(index, id, name, this, settings)
    const before = this.subs.findIndex((s) => s.name === name)
    if (before < 0) this.subs.push(sub)
    else this.subs[before] = sub
    if (id >= this.nextSub) this.nextSub = id + 1
    return sub
  }

  /** Remembers which section of a file this configuration is; of too many sources the one longest ago is forgotten. */
  noteApplied({ source, digest }: AppliedSection): void {
    this.applied.delete(source)
    this.applied.set(source, digest)
    if (this.applied.size > limits.appliedSourcesMax) this.applied.delete(this.applied.keys().next().value!)
  }

  configure(recorded: Partial<QueueConfig>): void {
    requireKnown(recorded, this.name)
    this.recorded = recorded
    this.config = { ...defaultQueueConfig, ...recorded }
    this.reconfigure()
  }

  /** Applies the configuration again, after it or the share in its limits changed. */
  reconfigure(): void {
    for (const sub of this.subs) sub.configure(sub.settings)
  }

  /** Its place among the parts of one queue; a queue that is not spread is the only one. */
  get share(): { readonly index: number; readonly of: number } {
    if (this.place !== undefined) return this.place
    return { index: 0, of: (this.spread?.parts.length ?? 0) + 1 }
  }
}

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
  /** Receives that are remembered by their attempt ids. */
  attemptsNoted = 0
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
    requireKnownOwn(settings, this.queue.name, this.name)
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
  attemptsMax: attemptsMaxOf(c.retriesMax),
  exhaustion: c.exhaustion,
  hasDeadLetter: c.deadLetter !== null,
  lateHandles: c.lateHandles,
})
