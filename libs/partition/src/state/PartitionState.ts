import type { QueueAddress, Ranges, Redrive } from '@kiroku/protocol'
import { DelayedRuns, type DelayedRun } from '../delay/DelayedRuns.ts'
import { laneKey, seenKey, type ClosedLanes, type OutboxLane } from '../forward/Outbox.ts'
import { GroupColumns } from '../groups/GroupColumns.ts'
import { Attempts } from '../repeats/Attempts.ts'
import { Dedup } from '../repeats/Dedup.ts'
import { Producers } from '../repeats/Producers.ts'
import type { LeavingPart } from '../spread/Spread.ts'
import { LiveSlab } from '../store/LiveSlab.ts'
import { RunSlab } from '../store/RunSlab.ts'
import type { QueueState, Subscription } from './QueueState.ts'
import type { Watcher } from './Watcher.ts'

/** A checkpoint that the log names. */
export interface CheckpointNote {
  readonly seq: number
  readonly digest: string
  readonly stateHash: string
}

/** Keys that are to be deleted. */
export interface Erasure {
  readonly erasure: number
  readonly queue: number
  /** The frame that decided it. */
  readonly seq: number
  readonly numbers?: Ranges
  readonly group?: string
  readonly key?: string
}

/**
 * What one of each takes in memory, in bytes, about: a run of messages that wait; a message that was delivered, with its copy in
 * a checkpoint; a group, in addition to its key; the id of a deduplicated message.
 */
const bytesOf = { run: 36, live: 200, group: 250, dedupKey: 48 } as const

/** Everything that the record of a partition comes to. */
export class PartitionState {
  readonly partition: number
  epoch = 0
  node = ''
  /** Partition time of the last frame, in ms. */
  at = 0
  /** Sequence of the frame that is being decided or applied. */
  frameSeq = 0
  nextQueue = 1
  nextDelivery = 1
  readonly queues = new Map<number, QueueState>()
  readonly names = new Map<string, QueueState>()
  /** Generations by their index; a free place is undefined. */
  readonly subscriptions: (Subscription | undefined)[] = []
  runs = new RunSlab()
  live = new LiveSlab()
  readonly groups = new GroupColumns()
  /** Runs that wait for their time, with the queue they belong to. */
  readonly delayedRuns = new DelayedRuns()
  readonly producers = new Producers()
  readonly dedup = new Dedup()
  readonly attempts = new Attempts()
  readonly outbox = new Map<string, OutboxLane>()
  /** Highest forward stored here, by source and target queue. */
  readonly forwardsSeen = new Map<string, number>()
  /** Lanes that were closed here, until their targets have forgotten them, too. */
  closedLanes: ClosedLanes[] = []
  /** By partition whose closed lanes were forgotten here: the first forward of a new lane there, as far as it said so. */
  readonly firstForwards = new Map<number, number>()
  /** Parts elsewhere that their homes here know no more, until they are dropped. */
  leaving: LeavingPart[] = []
  /** Homes whose parts were dropped here, and up to which revision what they say comes too late. */
  readonly left = new Map<string, number>()
  checkpoints: CheckpointNote[] = []
  trimmedTo = 0
  /** The frame that last had to do with runs of the past, whose bodies may lie anywhere. 0: none. */
  restoredSeq = 0
  /** Epoch of the last repair; what was known of the log before it no longer binds. 0: none. */
  repairedEpoch = 0
  /** Records that repairs gave up, and that may be missing therefore; no part of the hash, since older checkpoints do not know them. */
  givenUp: { readonly from: number; readonly upTo: number }[] = []
  /** Queues that were deleted within the last minutes, the oldest first, by name; no part of the hash, as older checkpoints do not know them. */
  readonly deletedNames = new Map<string, number>()
  /** Number of the first forward of a new lane. */
  firstForward = 1
  /** Frame of the last repair that kept the state and gave up records: bodies from before it may be gone for good. 0: none. */
  bridgedSeq = 0
  /** Deliveries that repairs gave up, from and up to, not included, by turns: their receipts name nothing. */
  voidDeliveries: number[] = []
  foreignRecords = 0
  /** The feature level in force: what came with later ones is not on record. */
  clusterVersion = 0
  /** While the store's clock and the owner's disagree: partition time and number of the next delivery when that began. */
  dispute: { readonly since: number; readonly delivery: number } | undefined
  /** Erasures whose keys are not deleted yet, and the number of the next one. */
  erasures: Erasure[] = []
  nextErasure = 1

  /** Optional events of a newer version, which were passed over since the state was loaded. */
  eventsSkipped = 0
  /** Subscriptions to which the past is being restored. */
  readonly filling = new Set<Subscription>()
  /** Subscriptions that are held, until the end of that is seen to. */
  readonly holds = new Set<Subscription>()
  /** Queues that have parts elsewhere. */
  readonly homes = new Set<QueueState>()
  /** Redrives on record that run. */
  readonly redrives = new Set<Redrive>()
  /** The ownership that goes on from this state; undefined in a replay. */
  watcher: Watcher | undefined

  constructor(partition: number) {
    this.partition = partition
  }

  /** What messages take here in memory, in bytes, about, without their bodies. Costs nothing to ask. */
  get bytes(): number {
    const { runs, groups, dedup } = this
    return (
      this.deliveredBytes +
      runs.used * bytesOf.run +
      groups.used * bytesOf.group +
      groups.keyCharacters +
      dedup.size * bytesOf.dedupKey
    )
  }

  /** What of it those take that were delivered and are not final. */
  get deliveredBytes(): number {
    return this.live.used * bytesOf.live
  }

  /** Says which frame the following events belong to, and its partition time in ms. */
  beginFrame(seq: number, at: number): void {
    this.frameSeq = seq
    if (at > this.at) this.at = at
    this.dedup.sweep(this.at)
  }

  /** Whether a repair gave up the delivery that a receipt names. */
  isVoid(delivery: number): boolean {
    for (let i = 0; i < this.voidDeliveries.length; i += 2)
      if (delivery >= this.voidDeliveries[i]! && delivery < this.voidDeliveries[i + 1]!) return true
    return false
  }

  /** The subscription that a receipt names, if it is still there. */
  subscriptionOf(queue: number, sub: number): Subscription | undefined {
    const q = this.queues.get(queue)
    if (q === undefined) return undefined
    for (let i = 0; i < q.subs.length; i++) if (q.subs[i]!.id === sub) return q.subs[i]
    return undefined
  }

  /** The delayed run that holds message `n`. */
  findDelayed(queue: QueueState, n: number): DelayedRun | undefined {
    const found = this.delayedRuns.at(queue, n)
    return found !== undefined && n < found.first + this.runs.count(found.run) ? found : undefined
  }

  /** The lane from a queue here to another queue. */
  lane(source: number, target: QueueAddress): OutboxLane | undefined {
    return this.outbox.get(laneKey(source, target))
  }

  /** The forward that is next from another queue to one here; undefined: none came yet. */
  nextForward(from: QueueAddress, target: number): number | undefined {
    return this.forwardsSeen.get(seenKey(from, target))
  }

  /** Name of a lane's target. */
  targetName({ name, source, target }: OutboxLane): string | undefined {
    return name ?? this.queues.get(source)?.deadLettersTo(target)[0]?.deadLetter.name
  }
}
