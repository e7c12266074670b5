import type { DiscardReason } from './DiscardReason.ts'

/** How a delivery was asked for: by a consumer whose failures are retried, or by a simple receive. */
export type ConsumeMode = 'push' | 'simple'

/** Message numbers of one queue as pairs: first, count, first, count, … in the order of delivery. */
export type Ranges = number[]

/** Who did an administrative act, and from where. */
export interface Actor {
  /** Name of the token or user; `local` on loopback without tokens, `engine` for the engine itself. */
  readonly name: string
  /** Door and address, like `cli`, `http 127.0.0.1`, `client`. */
  readonly origin: string
  readonly reason?: string
}

/** A section of a configuration file: where it came from, and a digest of what it said. */
export interface AppliedSection {
  /** Name of the file or the Worker, as every machine knows it. */
  readonly source: string
  readonly digest: string
}

/** A queue at a place: queue ids are unique within their partition and never used again. */
export interface QueueAddress {
  readonly partition: number
  readonly queue: number
}

/** What a part of a spread queue has done until it ended. */
export interface PartTotals {
  readonly sent: number
  /** By name of the subscription: messages that came, and what became of them. */
  readonly subs: Readonly<
    Record<
      string,
      {
        readonly entered: number
        readonly committed: number
        readonly deadLettered: number
        readonly discarded: number
        readonly redelivered: number
      }
    >
  >
}

/**
 * The facts that the log records. Each holds its outcome, so that `evolve` applies it without a guard.
 * `queue` is a queue id, `sub` the id of a subscription generation (0 is the first `main`), times are ms of
 * partition time. Bodies lie in the frame's body section in the order of the queue's Enqueued events.
 */
export type LogEvent =
  // Ownership and the log itself
  /** `reason`: why an owner took its own partition over again; absent: it was not the owner before. */
  | { type: 'OwnerChanged'; epoch: number; node: string; part: number; of: number; reason?: string }
  /**
   * Partition time goes on at `now`, after `gapMs` that nobody's lease lost. With `dispute` the store's clock and the
   * owner's are too far apart for a step to either: the time goes on from the last that is on record, and whatever
   * comes until the next of these moves by its `gapMs`, too. `by`: who said which clock is right.
   */
  | {
      type: 'ClockResumed'
      now: number
      gapMs: number
      dispute?: { readonly storeMs: number; readonly nodeMs: number }
      clock?: 'store' | 'node'
      by?: Actor
    }
  | { type: 'Checkpointed'; seq: number; digest: string; stateHash: string }
  | { type: 'Trimmed'; upTo: number }
  /** The store had `freeBytes` left of `bytesMax`, so the log is trimmed to its last two checkpoints, whatever its limits say. */
  | { type: 'StoreShort'; freeBytes: number; bytesMax: number; optional: true }
  | { type: 'ForeignRecordSkipped'; seq: number }
  /**
   * The records `from` to `upTo` are given up; `upTo` is below `from` where only the end of the log was lost. With
   * an empty `hash` the frame of this event continues the chain from the record before `from`, and what was given
   * up never happened. Otherwise the chain goes on behind `upTo`, whose hash it is in hex digits, and a checkpoint
   * holds the state there. Every counter leaves out `skip` numbers, since those given up may be known outside.
   */
  | { type: 'Repaired'; from: number; upTo: number; hash: string; skip: number; note: string; by: Actor }
  // Queues
  /** `applied` where a file said so: the same section of the same source is not applied again. */
  | {
      type: 'QueueCreated'
      queue: number
      name: string
      config: Record<string, unknown>
      applied?: AppliedSection
      by: Actor
    }
  | {
      type: 'QueueConfigured'
      queue: number
      config: Record<string, unknown>
      applied?: AppliedSection
      by: Actor
    }
  | { type: 'QueueDeleted'; queue: number; by: Actor }
  /** Everything with a number below `upTo` that is not final becomes Discarded. */
  | { type: 'QueuePurged'; queue: number; upTo: number; by: Actor }
  /** Without `sub`: of all subscriptions. */
  | { type: 'DeliveryPaused'; queue: number; sub?: number; by: Actor }
  /** Ends what `DeliveryHeld` began, too. */
  | { type: 'DeliveryResumed'; queue: number; sub?: number; by: Actor }
  /** A consumer gave messages back and had the deliveries of its subscription stand still until this time. */
  | { type: 'DeliveryHeld'; queue: number; sub: number; until: number; error: string }
  // Subscriptions
  /**
   * Messages from number `from` on are its own, as far as they become available after this. With `readFrom`, a
   * record's sequence, also those that became available from there on: nothing is delivered before they are restored.
   */
  | {
      type: 'SubscriptionCreated'
      queue: number
      sub: number
      name: string
      settings: Record<string, unknown>
      from: number
      readFrom?: number
      by: Actor
    }
  | {
      type: 'SubscriptionConfigured'
      queue: number
      sub: number
      settings: Record<string, unknown>
      by: Actor
    }
  /** `sub` is the new generation; everything of the one before is over, and its receipts name nothing. */
  | {
      type: 'SubscriptionReset'
      queue: number
      name: string
      sub: number
      from: number
      readFrom?: number
      by: Actor
    }
  /** Messages of the past become available again, in their old order and ahead of the newer ones. */
  | {
      type: 'RunsRestored'
      queue: number
      sub: number
      /** Runs: first number, count, record and place of the first body, time of arrival, bytes; and so on. */
      runs: number[]
      /** Group of each run; absent: none. */
      groups?: string[]
      /** Messages that do not pass the filter: for this generation they are Discarded. */
      filtered?: Ranges
      /** How far the past is restored: a record, and how many of its events. */
      done: [seq: number, events: number]
      /** Frames whose bodies have records of their own, and the first such record of each. */
      largeBodies?: number[]
    }
  /** The past is restored, and deliveries begin. */
  | { type: 'SubscriptionFilled'; queue: number; sub: number }
  | { type: 'SubscriptionDeleted'; queue: number; sub: number; by: Actor }
  // Spread queues: what the home decides
  /** Where the queue's parts are meant to be beside its home. `since` counts the changes of what clients are told. */
  | {
      type: 'QueueSpread'
      queue: number
      parts: {
        partition: number
        /** Its queue there; 0: none is known yet. */
        queue: number
        state: 'opening' | 'open' | 'sealed'
        since: number
      }[]
      by: Actor
    }
  /** The part is there, as queue `part` of its partition, and takes sends. */
  | { type: 'PartOpened'; queue: number; partition: number; part: number }
  /** The part was sealed and is empty; it is to be dropped. */
  | { type: 'PartClosed'; queue: number; partition: number; totals: PartTotals }
  /** A part that was closed, or whose home was deleted, is gone. */
  | { type: 'PartGone'; queue: number; partition: number }
  // and what a part records of its home
  | {
      type: 'PartPlaced'
      queue: number
      home: QueueAddress
      /** How far it follows its home. */
      revision: number
      since: number
      isOpen: boolean
      index: number
      of: number
      purges: number
      subs: Record<string, number>
    }
  /** What a home says of an earlier revision comes too late here. */
  | { type: 'PartLeft'; home: QueueAddress; revision: number }
  // Messages enter
  | {
      type: 'Enqueued'
      queue: number
      first: number
      count: number
      /** 0: at once. */
      dueAt: number
      /** Bytes of all bodies of this event together. */
      bytes: number
      producer: string
      /** The producer's number of this send. */
      send: number
      /** Tag and group of all of them; absent: none. */
      tag?: string
      group?: string
      /** Generations whose filter they do not pass: for these they are Discarded. */
      filteredBy?: number[]
      /** Keys by which repeats are known, 16 bytes each, one a message; absent: the queue does not look for them. */
      keys?: Uint8Array
    }
  /** A send in which some messages, or all, were sent before within the queue's window; of those nothing is stored. */
  | {
      type: 'Deduplicated'
      queue: number
      producer: string
      send: number
      /** The numbers that all its messages got, in their order. */
      answer: Ranges
      /** Of each that was sent before, the message that it repeats, and its key. */
      originals: number[]
      keys: Uint8Array
    }
  /** Dead letters and redriven messages that another queue forwarded; `from` makes the forward idempotent. */
  | {
      type: 'ForwardReceived'
      queue: number
      first: number
      count: number
      from: QueueAddress
      /** Number of the first forward in the window from that source queue. */
      forward: number
      bytes: number
      /** When each was first sent. */
      enqueuedAt: number[]
      tag?: string
      group?: string
      /** Generation that they are for, where they are not for all; -1: one that is gone. */
      only?: number
      filteredBy?: number[]
    }
  // Messages move
  | {
      type: 'Delivered'
      queue: number
      sub: number
      delivery: number
      leaseUntil: number
      leaseCap: number
      attemptsMax: number
      /** push: an expired lease pauses by the retry policy; simple: the message is Available again at once. */
      mode: ConsumeMode
      numbers: Ranges
      consumer: string
      /** By which the receive that is repeated gets the same batch; absent: it had none. */
      attempt?: string
    }
  | { type: 'DelayElapsed'; queue: number; numbers: Ranges; filteredBy?: number[] }
  /** A delayed message is cancelled: for every subscription that it was for it becomes Discarded. */
  | { type: 'Recalled'; queue: number; number: number; producer: string; send: number; by: Actor }
  /** A delayed message is due at another time, which may be now. */
  | {
      type: 'Rescheduled'
      queue: number
      number: number
      dueAt: number
      producer: string
      /** The producer's number of this request, counted with its sends. */
      send: number
      by: Actor
    }
  /** `attempt`: the receive that got the delivery was repeated, and got it again. */
  | {
      type: 'LeaseExtended'
      queue: number
      sub: number
      numbers: Ranges
      leaseUntil: number
      attempt?: string
    }
  | { type: 'Released'; queue: number; sub: number; numbers: Ranges; cause: 'client' | 'undelivered' }
  /** Given back with a delay, and the attempt too; `dueAt` 0: Available at once. */
  | { type: 'Deferred'; queue: number; sub: number; numbers: Ranges; dueAt: number; error: string }
  | { type: 'Acked'; queue: number; sub: number; numbers: Ranges }
  /** `dueAt` 0: Available at once. */
  | { type: 'RetryScheduled'; queue: number; sub: number; numbers: Ranges; dueAt: number; error: string }
  | { type: 'LeaseExpired'; queue: number; sub: number; numbers: Ranges; dueAt: number }
  | { type: 'RetryDue'; queue: number; sub: number; numbers: Ranges }
  | {
      type: 'DeadLettered'
      queue: number
      sub: number
      numbers: Ranges
      cause: 'retry' | 'leaseExpired' | 'nextReceive' | 'onPurpose'
      error: string
      target: QueueAddress
      /** Number of the first forward to that target; the others follow in the order of `numbers`. */
      forward: number
    }
  | {
      type: 'Discarded'
      queue: number
      sub: number
      numbers: Ranges
      reason: DiscardReason
      cause: 'retry' | 'leaseExpired' | 'nextReceive' | 'retention' | 'operator' | 'rollback'
      error: string
      /** Who discarded them; absent: not an operator, or another event says it. */
      by?: Actor
    }
  // Redrives
  /** A task begins to move what is available among the messages up to number `upTo`, included. */
  | {
      type: 'RedriveStarted'
      queue: number
      sub: number
      /** Number of the task within its queue. */
      task: number
      /** Random id of the request, by which a repeated one finds its task. */
      request: string
      to: 'origin' | (QueueAddress & { name: string })
      filter: Record<string, unknown>
      /** Only these, in their order; absent: all. */
      selection?: Ranges
      /** Messages a second, and messages in all; 0: no limit. */
      rateMax: number
      messagesMax: number
      upTo: number
      by: Actor
    }
  /** Discarded here with the reason `redriven`, and on their way to the target. */
  | {
      type: 'Redriven'
      queue: number
      sub: number
      task: number
      numbers: Ranges
      target: QueueAddress
      /** Name of the target, for people. */
      name: string
      /** Name of the only subscription that they are for there; absent: all. */
      only?: string
      /** Number of the first forward to that target; the others follow in the order of `numbers`. */
      forward: number
    }
  | {
      type: 'RedriveEnded'
      queue: number
      sub: number
      task: number
      outcome: 'completed' | 'cancelled' | 'failed'
      /** Messages that stay although the filter let them pass, by the reason. */
      skipped: Record<string, number>
      /** Messages that stay because of the filter. */
      filtered: number
      /** Messages that it did not get to. */
      left: number
      note: string
      /** Who cancelled it. */
      by?: Actor
    }
  // Erasure
  /**
   * The keys of these messages, or of a group so far, are to be deleted: whoever has them in whatever copy cannot read
   * them any more. What of it is not final is discarded in the same frame. One of `numbers` and `group` is there.
   */
  | {
      type: 'Erased'
      queue: number
      /** Number of the erasure within its partition. */
      erasure: number
      numbers?: Ranges
      group?: string
      /** Id of the key with which the group goes on. */
      key?: string
      by: Actor
    }
  /** The keys are deleted. */
  | { type: 'KeysDeleted'; queue: number; erasure: number }
  /** A message has another body, which lies in this frame; what was sent stays on record. */
  | {
      type: 'BodyEdited'
      queue: number
      number: number
      /** Bytes of the new body with what is beside it. */
      bytes: number
      by: Actor
    }
  /** Bodies that an old part of the log still held, stored again here so that it can be trimmed. */
  | { type: 'BodiesCarried'; queue: number; numbers: Ranges }
  /** The same for letters on their way from `source` to `target`. */
  | {
      type: 'LettersCarried'
      source: number
      target: QueueAddress
      /** Their forwards, in order. */
      forwards: Ranges
      /** Place of the first body among those that the frame holds of `source`, which may be deleted; the others follow. */
      index: number
    }
  /**
   * The target stored the forwards below `upTo`. `targetGone`: it was deleted and they were dropped, as older engines
   * did; a newer one keeps them until they can be readdressed.
   */
  | {
      type: 'Forwarded'
      source: number
      target: QueueAddress
      upTo: number
      outcome: 'stored' | 'targetGone'
    }
  /** `from` was deleted and never stored these forwards: they go to `target`, behind what is on its way there. */
  | {
      type: 'Readdressed'
      source: number
      from: QueueAddress
      /** Numbers that they had on their way to `from`, in order. */
      forwards: Ranges
      target: QueueAddress
      /** Name of the target. */
      name: string
      /** Number of the first of them on its way to `target`; the others follow. */
      forward: number
    }
  /** What older engines recorded for `LanesClosed`, without telling the targets. */
  | { type: 'LanesEnded'; source: number }
  /**
   * All letters of these lanes have arrived or went elsewhere: how far they were is forgotten here, and where they led. The
   * first forward of a new lane rises by one at least. `targets` are pairs of a partition and a queue.
   */
  | { type: 'LanesClosed'; source: number; targets: number[] }
  /** The partition was told of the lanes to it that were closed when the first forward rose to `upTo`, or before. */
  | { type: 'ClosingTold'; partition: number; upTo: number }
  /**
   * Another partition closed these lanes: pairs of a source queue there and a target queue here. Forwards from there that
   * left before its first forward was `first` are no first ones.
   */
  | { type: 'LanesForgotten'; partition: number; lanes: number[]; first: number }

/** Name of a fact. */
export type LogEventType = LogEvent['type']

/** A fact of one type. */
export type LogEventOf<T extends LogEventType> = Extract<LogEvent, { type: T }>
