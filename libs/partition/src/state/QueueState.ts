import {
  type AppliedSection,
  type DeadLetterTarget,
  isSameQueue,
  type QueueAddress,
  defaultQueueConfig,
  limits,
  type QueueConfig,
  type Redrive,
  type SubscriptionSettings,
} from '@kiroku/protocol'
import type { GroupColumns } from '../groups/GroupColumns.ts'
import type { Place, Spread } from '../spread/Spread.ts'
import { Subscription } from './Subscription.ts'

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

  constructor(id: number, name: string, recorded: Partial<QueueConfig>, groups: GroupColumns) {
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
  deadLettersTo(
    target: QueueAddress,
  ): { readonly deadLetter: DeadLetterTarget; readonly sub?: Subscription }[] {
    const found: { readonly deadLetter: DeadLetterTarget; readonly sub?: Subscription }[] = []
    const { deadLetter } = this.config
    if (deadLetter !== null && isSameQueue(deadLetter, target)) found.push({ deadLetter })
    for (const sub of this.subs) {
      const own = sub.settings.deadLetter ?? null
      if (own !== null && isSameQueue(own, target)) found.push({ deadLetter: own, sub })
    }
    return found
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
