import type { WireError } from '../error/KirokuError.ts'
import type {
  Actor,
  AppliedSection,
  ConsumeMode,
  PartTotals,
  QueueAddress,
  Ranges,
} from '../event/LogEvent.ts'
import type { RecentBatches } from '../observe/BatchFigures.ts'
import type { PartitionNews } from '../observe/PartitionNews.ts'
import type { QueueTimes } from '../observe/QueueTimes.ts'
import type { QueueConfig } from '../settings/QueueConfig.ts'
import type { SubscriptionSettings } from '../settings/SubscriptionSettings.ts'
import type { Hold } from './DeliveryHold.ts'
import type { HeldLane } from './HeldLane.ts'
import type { Redrive, RedriveFilter, RedriveTo } from './Redrive.ts'
import type { SpreadView } from './SpreadView.ts'
import type { StartPosition } from './StartPosition.ts'

/** Messages of one delivery, named by what their receipts hold. */
export interface SettleItem {
  /** Queue id, subscription generation and delivery as in the receipt. */
  readonly queue: number
  readonly sub: number
  readonly delivery: number
  readonly numbers: Ranges
}

/** What a queue is to be like. */
interface QueueChange {
  queue: string
  config: Partial<QueueConfig>
  by: Actor
  /** The answer is what it would be, and nothing happens. */
  dryRun?: boolean
  /** The configuration is this section of a file; one that was applied last from its source is not applied again. */
  applied?: AppliedSection
}

/** A subscription as the home of a spread queue has it. */
export interface PartSubscription {
  readonly name: string
  /** Generation at the home. */
  readonly sub: number
  readonly settings: SubscriptionSettings
  readonly deliveryPaused: boolean
}

/** What doors ask of a partition. Queues are named; settling names ids, which the receipt carries. */
export type Command =
  | {
      type: 'Enqueue'
      queue: string
      /** Random id of the producer and its number of this send, from 1: together they make a repeat harmless. */
      producer: string
      send: number
      /** Envelopes (see `encodeEnvelope`). */
      messages: readonly Uint8Array[]
      /** Delay of all in ms; absent: the queue's default. */
      delayMs?: number
      /** Delay of each in ms; beats `delayMs`; -1: the default. */
      delaysMs?: readonly number[]
      /** Tag of each, which the filters of subscriptions see; empty: none. */
      tags?: readonly string[]
      /** Message group or tenant of each, in a queue that has groups. */
      groups?: readonly string[]
      /** Dedup id of each, in a queue that deduplicates; empty: its body counts. */
      dedupIds?: readonly string[]
      /** Version of the queue's parts that the sender knows; absent: none. A part takes no others. */
      spread?: number
    }
  /** Cancels a message before it is due; `queue` and `number` are those of its id. Counts as a send of the producer. */
  | { type: 'Recall'; queue: number; number: number; producer: string; send: number; by: Actor }
  /** Moves the time at which a message is due: to `delayMs` from now or to `dueAt`, of which there must be one. */
  | {
      type: 'Reschedule'
      queue: number
      number: number
      delayMs?: number
      /** Partition time in ms; one that is over means at once. */
      dueAt?: number
      producer: string
      send: number
      by: Actor
    }
  | {
      type: 'Receive'
      queue: string
      /** Absent: `main`. */
      subscription?: string
      /** Only messages of this group, which the queue must have; absent: of all. */
      group?: string
      /** Client-unique id of this poll, for `CancelReceive`. */
      poll: string
      /**
       * Id of what the receive is for: one that is repeated with it gets the same batch, as far as that is still held,
       * under new leases.
       */
      attempt?: string
      /** Only such a batch, and no other. */
      heldOnly?: boolean
      max: number
      bytesMax?: number
      /** Long poll in ms; absent: the queue's default. */
      waitMs?: number
      /** Wait for a fuller batch, in ms from the first available message, also beyond `waitMs`; absent or 0: none. */
      batchWaitMs?: number
      leaseMs?: number
      mode: ConsumeMode
      consumer: string
      /** Version of the queue's parts that the receiver knows; the home answers any other with its own at once. */
      spread?: number
    }
  | { type: 'CancelReceive'; poll: string }
  | { type: 'Ack'; items: readonly SettleItem[] }
  | {
      type: 'Retry'
      items: readonly SettleItem[]
      /** Pause in ms; absent: the queue's policy. */
      delayMs?: number
      error?: string
    }
  | { type: 'Extend'; items: readonly SettleItem[]; leaseMs: number }
  | {
      type: 'Release'
      items: readonly SettleItem[]
      /** Pause in ms; absent or 0: none. */
      delayMs?: number
      error?: string
      /** Deliveries of the subscriptions stand still for as long; a hold that ends later stays. Needs a delay. */
      holdSubscription?: boolean
    }
  | { type: 'DeadLetter'; items: readonly SettleItem[]; error?: string }
  | ({ type: 'CreateQueue' } & QueueChange)
  | ({ type: 'ConfigureQueue' } & QueueChange)
  /** Refused while a queue of the same partition names it as its dead-letter queue, unless forced. */
  | { type: 'DeleteQueue'; queue: string; force?: boolean; by: Actor }
  | { type: 'PurgeQueue'; queue: string; by: Actor }
  /** Ends those of the messages that are in this state now; `numbers` are ranges in their order. */
  | {
      type: 'Discard'
      queue: string
      subscription: string
      state: 'Available' | 'WaitingRetry'
      numbers: Ranges
      by: Actor
    }
  /** Without a subscription: of all. */
  | { type: 'PauseDelivery'; queue: string; subscription?: string; by: Actor }
  | { type: 'ResumeDelivery'; queue: string; subscription?: string; by: Actor }
  | {
      type: 'CreateSubscription'
      queue: string
      subscription: string
      settings: SubscriptionSettings
      /** Absent: the latest. */
      start?: StartPosition
      by: Actor
      dryRun?: boolean
    }
  | {
      type: 'ConfigureSubscription'
      queue: string
      subscription: string
      settings: SubscriptionSettings
      by: Actor
      dryRun?: boolean
    }
  | {
      type: 'ResetSubscription'
      queue: string
      subscription: string
      /** Absent: the latest. */
      start?: StartPosition
      /** The generation that ends; when it is not there any more, nothing happens. Absent: whichever is there. */
      sub?: number
      by: Actor
    }
  | { type: 'DeleteSubscription'; queue: string; subscription: string; by: Actor }
  /** Lets the queue have a part in each of these partitions, and nowhere else beside its home. */
  | { type: 'SpreadQueue'; queue: string; partitions: readonly number[]; by: Actor }
  /** From a home to a part of it: what it is to be, as of a revision; it is created when it is missing. */
  | {
      type: 'PlacePart'
      queue: string
      home: QueueAddress
      revision: number
      since: number
      isOpen: boolean
      index: number
      of: number
      purges: number
      config: Partial<QueueConfig>
      deliveryPaused: boolean
      subs: readonly PartSubscription[]
    }
  /** From a home that knows the part no more. */
  | { type: 'DropPart'; queue: string; home: QueueAddress; revision: number }
  | {
      type: 'StartRedrive'
      queue: string
      /** Absent: `main`. */
      subscription?: string
      /** Random id: a repeated request with it finds its task. */
      request: string
      to: RedriveTo
      filter?: RedriveFilter
      /** Only these messages, named by their numbers in the queue, in order; absent: all. */
      selection?: Ranges
      /** Messages a second; absent: no limit. */
      rateMax?: number
      /** Messages in all; absent: no limit. */
      messagesMax?: number
      /** Only counts what would be moved and what would stay. */
      dryRun?: boolean
      by: Actor
    }
  /** Without a task: the one that runs. */
  | { type: 'CancelRedrive'; queue: string; subscription?: string; task?: number; by: Actor }
  | { type: 'DescribeRedrives'; queue: string }
  /** Deletes the key of one message, named by what its id says, or of all messages of a group so far. Its actor says why. */
  | {
      type: 'Erase'
      queue: string
      message?: { readonly queue: number; readonly number: number }
      group?: string
      by: Actor
    }
  /** Another body for a message that lies in a queue; what is beside the body stays. */
  | {
      type: 'EditBody'
      queue: string
      number: number
      /** Id of the message along its lineage, so that no other is meant. */
      messageId: string
      body: Uint8Array
      /** Absent: as before. */
      contentType?: string
      by: Actor
    }
  | { type: 'DescribeQueue'; queue: string }
  | { type: 'ListQueues' }
  | { type: 'DescribeGroups'; queue: string; subscription?: string; max?: number }
  | { type: 'DescribePartition' }
  /** Says which clock is right where the store's and the owner's disagree; the engine's own to decide. */
  | { type: 'ConfirmClock'; clock: 'store' | 'node'; by: Actor }
  /** What happened to the queues behind the record `since`, which this follower was told last; 0: how they stand. */
  | { type: 'FollowPartition'; follower: string; since: number }
  /** From another partition's outbox: a window of dead letters and redriven messages, in order. */
  | {
      type: 'Forward'
      from: QueueAddress
      target: number
      /** Name of the target: when that is gone, the answer says which queue has its name now. */
      name?: string
      forward: number
      messages: readonly Uint8Array[]
      enqueuedAt: readonly number[]
      tags?: readonly string[]
      groups?: readonly string[]
      /** The only subscription that each is for; empty: all. */
      subscriptions?: readonly string[]
      /** What new lanes began with there when this left, as stored; absent: an older node does not say. */
      first?: number
    }
  /** From another partition: lanes to here that it closed, as pairs of source and target queue, up to `first`. */
  | { type: 'ForgetLanes'; from: number; lanes: readonly number[]; first: number }

/** Name of a command. */
export type CommandType = Command['type']

/** A command of one type. */
export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>

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

/** A redrive as `redrive status` prints it. `moved` counts what arrived, `skipped` and `filtered` what stays. */
export interface RedriveDescription extends Omit<
  Redrive,
  'queue' | 'sub' | 'request' | 'upTo' | 'selection'
> {
  readonly queue: string
  readonly dryRun: boolean
  /** What it has sent off and what has not arrived yet; absent: an older node, which counts that as moved. */
  readonly onTheWay?: number
}

/** A partition as `cluster status` and the metrics show it. */
export interface PartitionDescription {
  readonly partition: number
  readonly epoch: number
  /** When this ownership began by the clock of the log's server, in ms since 1970; 0: it has not begun. */
  readonly epochAt: number
  readonly node: string
  readonly state: string
  readonly firstSeq: number
  readonly lastSeq: number
  readonly bytes: number
  readonly queues: number
  /** Messages on their way to other queues. */
  readonly outbox: number
  /** Those of them that cannot arrive; absent: none. */
  readonly held?: readonly OutboxDescription[]
  readonly checkpointSeq: number
  /** Absent: the owner is of a version that does not tell. */
  readonly storage?: StorageDescription
  /** Absent: an older version answered, nobody owns it, or it is not known yet. */
  readonly checkpoints?: CheckpointsDescription
  /** Absent: an older version answered, or nobody owns it. */
  readonly clock?: PartitionClock
}

/** A partition's time beside the clocks that it may go by, all in ms since 1970. */
export interface PartitionClock {
  /**
   * disputed: the two clocks disagree on a step of the time, which waits for an operator's word; ahead: partition time is
   * ahead of the store's clock, and of no other use than to measure by until that has caught up.
   */
  readonly state: 'agreed' | 'disputed' | 'ahead'
  readonly partitionMs: number
  readonly storeMs: number
  readonly nodeMs: number
}

/** How much room a partition's log has. */
export interface StorageDescription {
  /** `short`: the log is trimmed to its last two checkpoints; `full`: and sends are refused. */
  readonly state: 'enough' | 'short' | 'full'
  /** What is left of the store, what it can hold, and what sends leave free; absent: it does not tell. */
  readonly freeBytes?: number
  readonly bytesMax?: number
  readonly reserveBytes?: number
  /** Trims before the record's limits asked for them, since this ownership began. */
  readonly earlyTrims: number
}

/** Checkpoints that a partition has stored. */
export interface CheckpointsDescription {
  readonly count: number
  readonly bytes: number
}

/** One message of a settling command that was not accepted. */
export interface Refusal {
  /** Index of the item in the command, and the message's number. */
  readonly item: number
  readonly number: number
  readonly error: 'UnknownReceipt' | 'ReceiptExpired' | 'LeaseCapReached' | 'LeaseTooShort' | 'InvalidReceipt'
}

/** A delivery as it leaves the partition; arrays run parallel in the order of `numbers`. */
export interface Delivery {
  readonly queue: number
  readonly sub: number
  readonly delivery: number
  /** Partition time of the decision and end of the lease, in ms. */
  readonly now: number
  readonly leaseUntil: number
  /** Attempt id of the receive; absent: it had none. */
  readonly attempt?: string
  /** A receive with this attempt id got it before. */
  readonly isRepeat?: boolean
  readonly numbers: Ranges
  readonly attempts: readonly number[]
  readonly enqueuedAt: readonly number[]
  readonly messages: readonly Uint8Array[]
}

/** Answers by command type; `error` in place of any of them. */
export interface Answers {
  /**
   * `spread`: where else the queue is, unless the sender knows. With `numbers`, these are the messages' in their order:
   * of one that was sent before, that of the first.
   */
  Enqueue: {
    readonly queue: number
    readonly first: number
    readonly count: number
    readonly numbers?: Ranges
    readonly spread?: SpreadView
  }
  Recall: { readonly queue: number; readonly number: number }
  Reschedule: { readonly queue: number; readonly number: number }
  /** Without a delivery: nothing within the wait, or the receiver must look elsewhere too. */
  Receive: { readonly delivery?: Delivery; readonly spread?: SpreadView }
  CancelReceive: { readonly cancelled: boolean }
  Ack: { readonly refused: readonly Refusal[] }
  Retry: { readonly refused: readonly Refusal[] }
  Extend: { readonly refused: readonly Refusal[]; readonly leaseUntil: number; readonly now: number }
  Release: { readonly refused: readonly Refusal[] }
  DeadLetter: { readonly refused: readonly Refusal[] }
  CreateQueue: { readonly queue: number; readonly created: boolean }
  ConfigureQueue: { readonly queue: number }
  DeleteQueue: { readonly queue: number }
  PurgeQueue: { readonly purged: number }
  Discard: { readonly discarded: number }
  CreateSubscription: { readonly queue: number; readonly sub: number; readonly created: boolean }
  ConfigureSubscription: { readonly queue: number; readonly sub: number }
  ResetSubscription: { readonly queue: number; readonly sub: number }
  DeleteSubscription: { readonly queue: number; readonly sub: number }
  PauseDelivery: { readonly queue: number }
  ResumeDelivery: { readonly queue: number }
  SpreadQueue: { readonly queue: number }
  /** How far the part follows, what this purged, and what it did of all, once it is sealed and empty. */
  PlacePart: {
    readonly queue: number
    readonly revision: number
    readonly purged: number
    readonly totals?: PartTotals
  }
  DropPart: { readonly revision: number }
  StartRedrive: { readonly redrive: RedriveDescription }
  CancelRedrive: { readonly redrive: RedriveDescription }
  /** The last begun first. */
  DescribeRedrives: { readonly redrives: readonly RedriveDescription[] }
  /** When the keys are gone: messages that were not final, of all subscriptions together. */
  Erase: { readonly erasure: number; readonly discarded: number }
  /** Not edited: it had that body already. */
  EditBody: { readonly queue: number; readonly number: number; readonly isEdited: boolean }
  DescribeQueue: QueueDescription
  DescribeGroups: { readonly groups: readonly GroupDescription[]; readonly total: number }
  ListQueues: { readonly queues: readonly QueueDescription[] }
  DescribePartition: PartitionDescription
  /** By how much partition time was moved on; 0 also where no clocks disagree. */
  ConfirmClock: { readonly steppedMs: number }
  FollowPartition: PartitionNews
  /**
   * Of a target that is gone: the number below which it had stored forwards, absent in an answer of an older node; and
   * the queue that has its name now, if there is one.
   */
  Forward:
    | { readonly outcome: 'stored'; readonly upTo: number }
    | {
        readonly outcome: 'targetGone'
        readonly upTo: number
        readonly stored?: number
        readonly again?: number
      }
  ForgetLanes: Readonly<Record<never, never>>
}

/** What comes back for one command. */
export type Answer<T extends CommandType = CommandType> =
  | { readonly ok: Answers[T]; readonly error?: undefined }
  | { readonly error: WireError; readonly ok?: undefined }

/** What comes back for one request: the owner's epoch, the last sequence it rests on, an answer a command. */
export interface Reply {
  readonly epoch: number
  readonly seq: number
  readonly answers: readonly Answer[]
}
