import {
  type Hold,
  type QueueConfig,
  type Ranges,
  type Redrive,
  State,
  type SubscriptionSettings,
} from '@kiroku/protocol'
import { DelayedRun } from '../delay/DelayedRuns.ts'
import { laneKey, type ClosedLanes, type OutboxLane } from '../forward/Outbox.ts'
import type { Groups } from '../groups/Groups.ts'
import { groupLinked, groupTouched, offer } from '../groups/groupLists.ts'
import type { Fill } from '../past/Fill.ts'
import { recordedRedrive } from '../redrive/redriveRecord.ts'
import { DedupKeys, type DedupCopy } from '../send/DedupKeys.ts'
import type { ProducersCopy } from '../send/Producers.ts'
import { Spread, type LeavingPart, type Part, type Place } from '../spread/Spread.ts'
import { PartitionState, type CheckpointNote, type Erasure } from '../state/PartitionState.ts'
import { QueueState } from '../state/QueueState.ts'
import type { Subscription } from '../state/Subscription.ts'
import { type LiveCopy } from '../store/LiveColumns.ts'
import { LiveSlab } from '../store/LiveSlab.ts'
import { RunSlab } from '../store/RunSlab.ts'
import { toEnd } from '../store/toEnd.ts'
import { copyGroups, type GroupsCopy, type OwnGroups } from './copyGroups.ts'
import type { SnapshotSpace } from './snapshotSpace.ts'

/** Version of the snapshots that this code writes. */
export const snapshotVersion = 4

/** A partition's state as a value that shares nothing with it: plain data and typed arrays. */
export interface Snapshot {
  readonly version: typeof snapshotVersion
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
  readonly firstForward: number
  /** Absent: no such repair, and no such deliveries. */
  readonly bridgedSeq?: number
  readonly voidDeliveries?: readonly number[]
  readonly foreignRecords: number
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
interface QueueSnapshot {
  readonly id: number
  readonly name: string
  readonly config: Partial<QueueConfig>
  /** Absent: nothing was. */
  readonly applied?: readonly (readonly [source: string, digest: string])[]
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
interface SpreadSnapshot extends Pick<Spread, 'version' | 'revision' | 'purges' | 'closed'> {
  readonly parts: readonly Part[]
}

/** One generation of a subscription. */
interface SubscriptionSnapshot {
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
  /** List of available messages that somebody has touched. */
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
const counted = [
  'entered',
  'inflight',
  'waitingRetry',
  'committed',
  'deadLettered',
  'discarded',
  'redelivered',
] as const satisfies readonly (keyof Subscription)[]

/** Copies the state. */
export const snapshot = (state: PartitionState): Snapshot => toEnd(snapshotting(state))

/**
 * Copies the state as it is at the first step, into `space` where it has room: a memory-bound step of about 5 ms for
 * a million live messages with that, and small ones for what may be copied while the state goes on.
 */
export function* snapshotting(state: PartitionState, space?: SnapshotSpace): Generator<undefined, Snapshot> {
  const producers = state.producers.copy()
  producers.next()
  const attempts = state.attempts.all
  const delayed = [...state.delayedRuns.items]
  const lists: Copying = []
  const copied = copyOf(state, space, lists)
  yield
  for (const list of lists) yield* list
  return {
    ...copied,
    delayed: yield* inSlices(delayed, ({ queue, run, tag, group }) => ({ queue: queue.id, run, tag, group })),
    producers: yield* producers,
    ...(attempts.length === 0
      ? undefined
      : {
          attempts: yield* inSlices(
            attempts,
            ({ sub, attempt, delivery, at, numbers }) => [sub.index, attempt, delivery, at, numbers] as const,
          ),
        }),
  }
}

const sliceItems = 10_000
/** Groups, each of which takes some µs to be restored. */
const sliceGroups = 1_000

/** Maps what no longer changes, a bit between two yields. */
function* inSlices<T, R>(items: readonly T[], map: (item: T) => R): Generator<undefined, R[]> {
  const mapped: R[] = []
  for (let i = 0; i < items.length; i++) {
    mapped.push(map(items[i]!))
    if (i % sliceItems === sliceItems - 1) yield
  }
  return mapped
}

/** Lists that were begun to be copied, and fill later. */
type Copying = Generator<undefined, void>[]

const copyOf = (
  state: PartitionState,
  space: SnapshotSpace | undefined,
  lists: Copying,
): Omit<Snapshot, 'delayed' | 'producers' | 'attempts'> => {
  const live = state.live.copy(space?.live)
  const groups = { groups: state.groups.share(), links: state.live.groupLinks.share(), live }
  return {
    version: snapshotVersion,
    partition: state.partition,
    epoch: state.epoch,
    node: state.node,
    at: state.at,
    seq: state.frameSeq,
    nextQueue: state.nextQueue,
    nextDelivery: state.nextDelivery,
    trimmedTo: state.trimmedTo,
    ...(state.restoredSeq === 0 ? undefined : { restoredSeq: state.restoredSeq }),
    repairedEpoch: state.repairedEpoch,
    ...(state.repairedEpoch === 0 ? undefined : { givenUp: [...state.givenUp] }),
    firstForward: state.firstForward,
    ...(state.bridgedSeq === 0 ? undefined : { bridgedSeq: state.bridgedSeq }),
    ...(state.voidDeliveries.length === 0 ? undefined : { voidDeliveries: [...state.voidDeliveries] }),
    foreignRecords: state.foreignRecords,
    checkpoints: [...state.checkpoints],
    queues: [...state.queues.values()].map((q) => queueSnapshot(state, q, groups, lists)),
    outbox: [...state.outbox.values()].map((lane) => ({ ...lane, entries: [...lane.entries] })),
    forwardsSeen: [...state.forwardsSeen],
    ...(state.closedLanes.length === 0 ? undefined : { closedLanes: [...state.closedLanes] }),
    ...(state.firstForwards.size === 0 ? undefined : { firstForwards: [...state.firstForwards] }),
    ...(state.leaving.length === 0 ? undefined : { leaving: [...state.leaving] }),
    ...(state.left.size === 0 ? undefined : { left: [...state.left] }),
    ...(state.dispute === undefined ? undefined : { dispute: state.dispute }),
    ...(state.nextErasure === 1
      ? undefined
      : { erasures: { next: state.nextErasure, open: [...state.erasures] } }),
    runs: state.runs.copy(space?.runs),
    live,
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** What is absent is added where it is there: 10,000 queues are copied in one step, and spreading takes three times as long. */
const queueSnapshot = (
  state: PartitionState,
  q: QueueState,
  groups: GroupsCopy,
  lists: Copying,
): QueueSnapshot => {
  const copy: Mutable<QueueSnapshot> = {
    id: q.id,
    name: q.name,
    config: q.recorded,
    deliveryPaused: q.deliveryPaused,
    nextNumber: q.nextNumber,
    skipped: q.skipped,
    delayed: q.delayed,
    frame: [q.frameSeq, q.frameCount],
    nextSub: q.nextSub,
    subs: q.subs.map((sub) => subscriptionSnapshot(sub, groups, lists)),
  }
  if (q.applied.size > 0) copy.applied = [...q.applied]
  if (q.purgedTo > 0) copy.purgedTo = q.purgedTo
  if (q.editedSeq > 0) copy.editedSeq = q.editedSeq
  if (q.hadForwards) copy.hadForwards = true
  if (q.nextRedrive > 1) {
    copy.nextRedrive = q.nextRedrive
    copy.redrives = q.redrives.map(recordedRedrive)
  }
  if (q.spread !== undefined) copy.spread = spreadSnapshot(q.spread)
  if (q.place !== undefined) copy.place = q.place
  const dedup = state.dedup.of(q)
  if (dedup !== undefined) copy.dedup = dedup.copy()
  return copy
}

const spreadSnapshot = ({ version, revision, purges, parts, closed }: Spread): SpreadSnapshot => ({
  version,
  revision,
  purges,
  parts,
  closed,
})

const subscriptionSnapshot = (s: Subscription, groups: GroupsCopy, lists: Copying): SubscriptionSnapshot => {
  const copy: Mutable<SubscriptionSnapshot> = {
    index: s.index,
    id: s.id,
    name: s.name,
    settings: s.settings,
    deliveryPaused: s.deliveryPaused,
    from: s.from,
    ready: [s.readyHead, s.readyTail, s.ready, s.readyBytes],
    touched: [s.head, s.tail, s.available, s.availableBytes],
    counts: counted.map((name) => s[name]),
  }
  if (s.hold !== undefined) copy.hold = s.hold
  if (s.fill !== undefined) copy.fill = { ...s.fill, restoredTail: s.restoredTail }
  if (s.groups !== undefined) copy.groups = groupSnapshots(groups, ownGroups(s, s.groups), lists)
  return copy
}

const ownGroups = ({ fill }: Subscription, { oldest, isOrdered }: Groups): OwnGroups => ({
  oldest,
  isOrdered,
  isFilling: fill !== undefined,
})

/** A list of groups that fills later. */
const groupSnapshots = (groups: GroupsCopy, own: OwnGroups, lists: Copying): readonly GroupSnapshot[] => {
  const list: GroupSnapshot[] = []
  lists.push(copyGroups(groups, own, list))
  return list
}

/** What repairs gave up as far as the snapshot knows: an older one only knows that there was one. */
export const givenUpIn = ({ givenUp, repairedEpoch, seq }: Snapshot): PartitionState['givenUp'] => [
  ...(givenUp ?? (repairedEpoch === 0 ? [] : [{ from: 1, upTo: seq }])),
]

/** Rebuilds a state from a snapshot, which it takes over. */
export const restore = (s: Snapshot): PartitionState => toEnd(restoring(s))

/** The same, a bit between two yields. */
export function* restoring(s: Snapshot): Generator<undefined, PartitionState> {
  const state = new PartitionState(s.partition)
  state.epoch = s.epoch
  state.node = s.node
  state.at = s.at
  state.frameSeq = s.seq
  state.nextQueue = s.nextQueue
  state.nextDelivery = s.nextDelivery
  state.trimmedTo = s.trimmedTo
  state.restoredSeq = s.restoredSeq ?? 0
  state.repairedEpoch = s.repairedEpoch
  state.givenUp = givenUpIn(s)
  state.firstForward = s.firstForward
  state.bridgedSeq = s.bridgedSeq ?? 0
  state.voidDeliveries = [...(s.voidDeliveries ?? [])]
  state.foreignRecords = s.foreignRecords
  state.checkpoints = [...s.checkpoints]
  state.runs = RunSlab.restore(s.runs)
  state.live = yield* LiveSlab.restore(s.live)
  yield
  for (const q of s.queues) {
    yield* restoreQueue(state, q)
    yield
  }
  for (const [i, { queue, run, tag, group }] of s.delayed.entries()) {
    const { runs } = state
    if (i % sliceItems === sliceItems - 1) yield
    state.delayedRuns.push(
      new DelayedRun(state.queues.get(queue)!, run, runs.first(run), runs.dueAt(run), tag, group),
    )
  }
  yield* state.producers.restore(s.producers)
  for (const [i, [index, attempt, delivery, at, numbers]] of (s.attempts ?? []).entries()) {
    if (i % sliceItems === sliceItems - 1) yield
    state.attempts.restore({ sub: state.subscriptions[index]!, attempt, delivery, at, numbers })
  }
  for (const lane of s.outbox) state.outbox.set(laneKey(lane.source, lane.target), lane)
  for (const [key, upTo] of s.forwardsSeen) state.forwardsSeen.set(key, upTo)
  state.closedLanes = [...(s.closedLanes ?? [])]
  for (const [partition, first] of s.firstForwards ?? []) state.firstForwards.set(partition, first)
  state.leaving = [...(s.leaving ?? [])]
  for (const [key, revision] of s.left ?? []) state.left.set(key, revision)
  if (s.dispute !== undefined) state.dispute = s.dispute
  if (s.erasures !== undefined) {
    state.nextErasure = s.erasures.next
    state.erasures = [...s.erasures.open]
  }
  return state
}

function* restoreQueue(state: PartitionState, q: QueueSnapshot): Generator<undefined, void> {
  const queue = new QueueState(q.id, q.name, q.config, state.groups)
  for (const [source, digest] of q.applied ?? []) queue.noteApplied({ source, digest })
  queue.deliveryPaused = q.deliveryPaused
  queue.nextNumber = q.nextNumber
  queue.purgedTo = q.purgedTo ?? 0
  queue.skipped = q.skipped
  queue.delayed = q.delayed
  ;[queue.frameSeq, queue.frameCount] = q.frame
  queue.editedSeq = q.editedSeq ?? 0
  queue.hadForwards = q.hadForwards ?? false
  state.queues.set(q.id, queue)
  state.names.set(q.name, queue)
  if (q.spread !== undefined) {
    queue.spread = Object.assign(new Spread(), q.spread)
    queue.spread.revisedSeq = state.frameSeq
    if (q.spread.parts.length > 0) state.homes.add(queue)
  }
  queue.place = q.place
  for (const sub of q.subs) yield* restoreSubscription(state, queue, sub)
  if (q.dedup !== undefined) state.dedup.restore(queue, yield* DedupKeys.restore(q.dedup))
  queue.nextSub = q.nextSub
  queue.nextRedrive = q.nextRedrive ?? 1
  queue.redrives = (q.redrives ?? []).map(recordedRedrive)
  for (const redrive of queue.redrives) {
    if (redrive.state !== 'running') continue
    redrive.left =
      redrive.selected === undefined
        ? (queue.subs.find(({ id }) => id === redrive.sub)?.deliverable ?? 0)
        : redrive.selected - redrive.moved
    state.redrives.add(redrive)
  }
}

function* restoreSubscription(
  state: PartitionState,
  queue: QueueState,
  s: SubscriptionSnapshot,
): Generator<undefined, void> {
  const sub = queue.open(s.index, s.id, s.name, s.settings)
  sub.deliveryPaused = s.deliveryPaused
  if (s.hold !== undefined) {
    sub.hold = s.hold
    state.holds.add(sub)
  }
  sub.from = s.from
  if (s.fill !== undefined) {
    const { restoredTail, ...fill } = s.fill
    sub.fill = fill
    sub.restoredTail = restoredTail
    state.filling.add(sub)
  }
  ;[sub.readyHead, sub.readyTail, sub.ready, sub.readyBytes] = s.ready
  ;[sub.head, sub.tail, sub.available, sub.availableBytes] = s.touched
  // Older versions counted less.
  counted.forEach((name, i) => (sub[name] = s.counts[i] ?? 0))
  while (state.subscriptions.length <= s.index) state.subscriptions.push(undefined)
  state.subscriptions[s.index] = sub
  for (const [i, group] of (s.groups ?? []).entries()) {
    if (i % sliceGroups === sliceGroups - 1) yield
    restoreGroup(state, sub, group)
  }
}

const restoreGroup = (state: PartitionState, sub: Subscription, g: GroupSnapshot): void => {
  const { runs, live } = state
  const groups = sub.groups!
  const group = groups.of(g.key)
  ;[group.readyHead, group.readyTail, group.ready] = g.ready
  group.restoredTail = g.restoredTail ?? 0
  if (group.readyHead !== 0) groups.head(group, runs.first(group.readyHead))
  for (const n of groups.isOrdered ? g.touched : g.live) {
    const slot = live.find(sub.index, n)
    groupTouched(state, sub, group, slot)
    if (live.state[slot] === State.Inflight) group.inflight++
  }
  if (!groups.isOrdered) for (const n of g.touched) groupLinked(state, sub, live.find(sub.index, n))
  offer(state, sub, group)
}

/** Oldest frame that still holds the body of a message which somebody may need; infinity when none. */
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
