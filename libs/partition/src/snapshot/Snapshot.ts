import type { Hold, QueueConfig, Ranges, Redrive, SubscriptionSettings } from '@kiroku/protocol'
import type { ClosedLanes, OutboxLane } from '../forward/Outbox.ts'
import type { Fill } from '../past/Fill.ts'
import type { DedupCopy } from '../repeats/DedupKeys.ts'
import type { ProducersCopy } from '../repeats/Producers.ts'
import type { LeavingPart, Part, Place, Spread } from '../spread/Spread.ts'
import type { CheckpointNote, Erasure, PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'
import type { LiveCopy } from '../store/LiveColumns.ts'
import { RunSlab } from '../store/RunSlab.ts'

/** Newest version of the snapshots that this code writes: that of states with a cluster version. */
export const snapshotVersion = 5
/** That of states without one, which older code reads too. */
const levelNoneVersion = 4
type SnapshotVersion = typeof snapshotVersion | typeof levelNoneVersion

/** Version of the snapshots of states in which a feature level is in force. */
export const versionFor = (clusterVersion: number): SnapshotVersion =>
  clusterVersion === 0 ? levelNoneVersion : snapshotVersion

/** Whether this code writes snapshots of this version; those it reads as they are. */
export const isOwnSnapshot = (version: number): version is SnapshotVersion =>
  version === snapshotVersion || version === levelNoneVersion

/** A partition's state as a value that shares nothing with it: plain data and typed arrays. */
export interface Snapshot {
  readonly version: SnapshotVersion
  readonly partition: number
  readonly epoch: number
  readonly node: string
  readonly at: number
  /** Sequence of the last frame that it contains. */
  readonly seq: number
  readonly nextQueue: number
  readonly nextDelivery: number
  readonly trimmedTo: number
  /** Absent: 0, as for whatever else may be. */
  readonly restoredSeq?: number
  readonly repairedEpoch: number
  /** Absent: none, or not known where there was a repair. */
  readonly givenUp?: readonly { readonly from: number; readonly upTo: number }[]
  /** Absent: none, or an older version wrote it. */
  readonly deletedNames?: readonly (readonly [name: string, at: number])[]
  readonly firstForward: number
  /** Absent: no such repair, and no such deliveries. */
  readonly bridgedSeq?: number
  readonly voidDeliveries?: readonly number[]
  readonly foreignRecords: number
  /** Absent: 0. */
  readonly clusterVersion?: number
  readonly checkpoints: readonly CheckpointNote[]
  readonly queues: readonly QueueSnapshot[]
  readonly delayed: readonly {
    readonly queue: number
    readonly run: number
    readonly tag: string
    readonly group: string
  }[]
  readonly producers: ProducersCopy
  /** In the order in which they are looked at next; absent: none. */
  readonly attempts?: readonly AttemptSnapshot[]
  readonly outbox: readonly OutboxLane[]
  /** In stored checkpoints alone: when each letter of the outbox was first delivered, in ms, 0 where that is not known; absent: of none it is. */
  readonly letterFirsts?: Float64Array
  readonly forwardsSeen: readonly (readonly [key: string, upTo: number])[]
  /** Absent: none. */
  readonly closedLanes?: readonly ClosedLanes[]
  readonly firstForwards?: readonly (readonly [partition: number, first: number])[]
  /** Parts of spread queues that are to go; absent: none. */
  readonly leaving?: readonly LeavingPart[]
  /** Homes whose parts were here; absent: none. */
  readonly left?: readonly (readonly [key: string, revision: number])[]
  /** Absent: no clocks disagree. */
  readonly dispute?: { readonly since: number; readonly delivery: number }
  /** Keys to be deleted, and the number of the next erasure; absent: there never was one. */
  readonly erasures?: { readonly next: number; readonly open: readonly Erasure[] }
  readonly runs: { readonly chunks: Uint32Array[]; readonly size: number }
  readonly live: LiveCopy
}

/** What a receive with an attempt id got. */
type AttemptSnapshot = readonly [
  subIndex: number,
  attempt: string,
  delivery: number,
  at: number,
  numbers: Ranges,
]

/** One queue with its subscriptions. */
export interface QueueSnapshot {
  readonly id: number
  readonly name: string
  readonly config: Partial<QueueConfig>
  /** Absent: nothing was. */
  readonly applied?: readonly (readonly [source: string, digest: string])[]
  /** Absent: none. */
  readonly notes?: readonly (readonly [name: string, text: string])[]
  /** Absent: none of them is known. */
  readonly times?: readonly [createdAt: number, configuredAt: number, purgedAt: number]
  readonly deliveryPaused: boolean
  readonly nextNumber: number
  readonly purgedTo?: number
  readonly skipped: number
  readonly delayed: number
  readonly frame: readonly [seq: number, count: number]
  /** Absent: no body was edited. */
  readonly editedSeq?: number
  /** Absent: it got no letters from lanes that were forgotten since. */
  readonly hadForwards?: boolean
  readonly nextSub: number
  /** Absent in a queue that never had one. */
  readonly nextRedrive?: number
  readonly redrives?: readonly Redrive[]
  readonly subs: readonly SubscriptionSnapshot[]
  /** Of a queue that deduplicates. */
  readonly dedup?: DedupCopy
  /** Of a queue that was spread, and of a part. */
  readonly spread?: SpreadSnapshot
  readonly place?: Place
}

/** A home's parts. */
export interface SpreadSnapshot extends Pick<Spread, 'version' | 'revision' | 'purges' | 'closed'> {
  readonly parts: readonly Part[]
}

/** One generation of a subscription. */
export interface SubscriptionSnapshot {
  readonly index: number
  readonly id: number
  readonly name: string
  readonly settings: SubscriptionSettings
  readonly deliveryPaused: boolean
  /** Absent: it was never held, or was resumed since. */
  readonly hold?: Hold
  readonly from: number
  readonly fill?: Fill & { readonly restoredTail: number }
  readonly ready: readonly [head: number, tail: number, count: number, bytes: number]
  /** List of available messages that have been delivered or changed. */
  readonly touched: readonly [head: number, tail: number, count: number, bytes: number]
  readonly counts: readonly number[]
  /** Of a queue with groups. */
  readonly groups?: readonly GroupSnapshot[]
}

/** One group: its runs, and the numbers of its live messages. */
export interface GroupSnapshot {
  readonly key: string
  readonly ready: readonly [head: number, tail: number, count: number]
  readonly restoredTail?: number
  readonly touched: readonly number[]
  readonly live: readonly number[]
}

/** Numbers of a subscription that are copied as they are. */
export const counted = [
  'entered',
  'inflight',
  'waitingRetry',
  'committed',
  'deadLettered',
  'discarded',
  'redelivered',
] as const satisfies readonly (keyof Subscription)[]

/** What repairs gave up as far as the snapshot knows: an older one only knows that there was one. */
export const givenUpIn = ({ givenUp, repairedEpoch, seq }: Snapshot): PartitionState['givenUp'] => [
  ...(givenUp ?? (repairedEpoch === 0 ? [] : [{ from: 1, upTo: seq }])),
]

/** Oldest frame that still holds the body of a message that may still be needed; infinity: none. */
export const oldestBodySeq = (s: Snapshot): number => {
  let oldest = Number.POSITIVE_INFINITY
  const { live } = s
  for (let i = 0; i < live.seq.length; i++)
    if (live.state[i] !== 255 && live.seq[i]! < oldest) oldest = live.seq[i]!
  const runs = RunSlab.view(s.runs)
  for (let id = 1; id <= runs.size; id++)
    if (runs.count(id) > 0 && runs.seq(id) < oldest) oldest = runs.seq(id)
  for (const lane of s.outbox) for (const e of lane.entries) if (e.seq < oldest) oldest = e.seq
  return oldest
}
