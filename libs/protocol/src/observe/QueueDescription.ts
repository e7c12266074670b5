import type { QueueAddress } from '../event/QueueAddress.ts'
import type { QueueConfig } from '../settings/QueueConfig.ts'
import type { SubscriptionSettings } from '../settings/SubscriptionSettings.ts'
import type { RecentBatches } from './BatchFigures.ts'
import type { HeldLane } from './HeldLane.ts'
import type { Hold } from './Hold.ts'
import type { QueueTimes } from './QueueTimes.ts'

/** Messages of a queue by state; the final ones are totals since its creation. */
export interface QueueCounts {
  readonly delayed: number
  readonly available: number
  readonly inflight: number
  readonly waitingRetry: number
  readonly sent: number
  readonly committed: number
  readonly deadLettered: number
  readonly discarded: number
  /** Deliveries beyond the first of each message. */
  readonly redelivered: number
}

/** A consumer that waits for messages of a subscription or holds some; several of one name are one. */
export interface ConsumerDescription {
  readonly name: string
  /** Receives of it that wait. */
  readonly waitingPolls: number
  /** Messages that it holds; those of deliveries long ago, and of an earlier owner, are left out. */
  readonly inflight: number
  /** Since when the owner of the partition has heard of it, without a silence of minutes, in ms of partition time. */
  readonly since?: number
}

/** One subscription of a queue as it stands. */
export interface SubscriptionDescription {
  readonly name: string
  /** Id of its generation, which a reset changes. */
  readonly sub: number
  /** What it sets for itself, and what is in force. */
  readonly settings: SubscriptionSettings
  readonly config: QueueConfig
  readonly deliveryPaused: boolean
  /** Deliveries stand still, since a consumer was told to wait; absent: they do not. Times are ms of partition time. */
  readonly hold?: Hold
  /** Messages of the past are being restored; deliveries begin after that. */
  readonly filling: boolean
  readonly counts: QueueCounts
  /** Polls that wait for a message. */
  readonly waitingPolls: number
  /** How full its batches were in the last minute; absent: nothing was delivered, or it is the past. */
  readonly batches?: RecentBatches
  /** At most 100; told of one queue that is asked for by its name. */
  readonly consumers?: readonly ConsumerDescription[]
}

/** One message group of a subscription, or one tenant. */
export interface GroupDescription {
  readonly group: string
  /** Messages that are available. */
  readonly waiting: number
  readonly inflight: number
  /** In an ordered queue: what holds up those that wait. `until` is the end of its lease or of its pause, in ms. */
  readonly blockedBy?: {
    readonly number: number
    readonly state: 'Inflight' | 'WaitingRetry'
    readonly attempt: number
    readonly until: number
  }
}

/** A queue as `queue show` prints it. */
export interface QueueDescription {
  readonly name: string
  readonly partition: number
  readonly queue: number
  readonly config: QueueConfig
  /** What the configuration and recent deliveries warn of: the reason and what to do instead, a sentence each. */
  readonly warnings: readonly string[]
  /** Digest of the section that was applied last, by its source. */
  readonly applied: Readonly<Record<string, string>>
  /** When it was created, last changed, and last purged of something, in ms of partition time; absent: before this was kept, or never. */
  readonly createdAt?: number
  readonly configuredAt?: number
  readonly purgedAt?: number
  /** Its notes by name; told of one queue that is asked for by its name, and absent where it has none. */
  readonly notes?: Readonly<Record<string, string>>
  readonly deliveryPaused: boolean
  /** Of all subscriptions together: a message counts once for each. `delayed` and `sent` are the queue's. */
  readonly counts: QueueCounts
  readonly subscriptions: readonly SubscriptionDescription[]
  /** Age of the oldest message that is not final, in ms; 0 when there is none. */
  readonly oldestAgeMs: number
  /** Polls that wait for a message. */
  readonly waitingPolls: number
  /** Dead letters and redriven messages of it that have not arrived yet, by where they go; absent: none. */
  readonly outbox?: readonly OutboxDescription[]
  /** How long its messages took lately; absent: nothing was delivered or acknowledged, or it is the past. */
  readonly times?: QueueTimes
  /** Of a home: its parts. A client adds the home itself, and to each what is there. */
  readonly spread?: { readonly version: number; readonly parts: readonly PartDescription[] }
  /** Of a part: its home. */
  readonly home?: QueueAddress
}

/** Messages that are on their way from one queue to another. */
export interface OutboxDescription {
  /** Name of the source; `#` and its id where it was deleted. */
  readonly queue: string
  readonly to: string
  readonly messages: number
  /** Why they wait, and since when in ms; absent: they go. */
  readonly held?: HeldLane
}

/** A part of a spread queue. */
export interface PartDescription {
  readonly partition: number
  /** Its queue there; 0: it is not there yet. */
  readonly queue: number
  /** opening: not there yet; sealed: it takes no sends, and ends when it is empty. */
  readonly state: 'home' | 'opening' | 'open' | 'sealed'
  /** Absent: the partition did not say. */
  readonly counts?: QueueCounts
}
