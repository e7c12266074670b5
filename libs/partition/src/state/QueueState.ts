import type { Policy } from '@kiroku/message'
import { defaultQueueConfig, type QueueConfig } from '../QueueConfig.ts'
import type { Poll } from './Poll.ts'

const none = -1

/** One consumer group's delivery state over a queue, in one generation. */
export class Subscription {
  /** Index in the partition's table of generations; live slots name their owner by it. */
  readonly index: number
  /** Id within the queue; 0 is the first `main`. */
  readonly id: number
  readonly queue: QueueState
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
  /** Waiting receives, oldest first; not part of the record. */
  polls: Poll[] = []
  /** When the first of the messages that are available now became so; not part of the record. */
  availableSince = 0

  constructor(index: number, id: number, queue: QueueState) {
    this.index = index
    this.id = id
    this.queue = queue
  }

  /** Messages that a receive could get now. */
  get deliverable(): number {
    return this.available + this.queue.ready
  }
}

/** One queue: its configuration, its untouched messages as runs, and its subscriptions. */
export class QueueState {
  readonly id: number
  readonly name: string
  /** The configuration as the record has it; settings that are younger than it are not there. */
  recorded: Partial<QueueConfig>
  config: QueueConfig
  policy: Policy
  deliveryPaused = false
  /** Number of the next message. */
  nextNumber = 1
  /** Numbers that repairs left out. */
  skipped = 0
  /** Runs that are available, in order; 0 is none. */
  readyHead = 0
  readyTail = 0
  ready = 0
  readyBytes = 0
  delayed = 0
  /** The frame in which the last message came and how many came in it: their places among its bodies. */
  frameSeq = 0
  frameCount = 0
  readonly main: Subscription

  constructor(id: number, name: string, recorded: Partial<QueueConfig>, index: number) {
    this.id = id
    this.name = name
    this.recorded = recorded
    this.config = { ...defaultQueueConfig, ...recorded }
    this.policy = policyOf(this.config)
    this.main = new Subscription(index, 0, this)
  }

  /** Messages that ever came in. */
  get sent(): number {
    return this.nextNumber - 1 - this.skipped
  }

  configure(recorded: Partial<QueueConfig>): void {
    this.recorded = recorded
    this.config = { ...defaultQueueConfig, ...recorded }
    this.policy = policyOf(this.config)
  }
}

const policyOf = (c: QueueConfig): Policy => ({
  attemptsMax: c.retriesMax + 1,
  exhaustion: c.exhaustion,
  hasDeadLetter: c.deadLetter !== null,
  lateHandles: c.lateHandles,
})
