import type { Groups } from '../groups/Groups.ts'
import { recordedRedrive } from '../redrive/redriveRecord.ts'
import type { Spread } from '../spread/Spread.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { toEnd } from '../store/toEnd.ts'
import {
  counted,
  type GroupSnapshot,
  type QueueSnapshot,
  type Snapshot,
  type SpreadSnapshot,
  type SubscriptionSnapshot,
  versionFor,
} from './Snapshot.ts'
import type { SnapshotSpace } from './SnapshotSpace.ts'
import { copyGroups, GroupsCopy, type OwnGroups } from './copyGroups.ts'
import { sliceItems } from './restore.ts'

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
  const groups = new GroupsCopy(state, live)
  return {
    version: versionFor(state.clusterVersion),
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
    ...(state.deletedNames.size === 0 ? undefined : { deletedNames: [...state.deletedNames] }),
    firstForward: state.firstForward,
    ...(state.bridgedSeq === 0 ? undefined : { bridgedSeq: state.bridgedSeq }),
    ...(state.voidDeliveries.length === 0 ? undefined : { voidDeliveries: [...state.voidDeliveries] }),
    foreignRecords: state.foreignRecords,
    ...(state.clusterVersion === 0 ? undefined : { clusterVersion: state.clusterVersion }),
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
  if (q.notes.size > 0) copy.notes = [...q.notes]
  if (q.createdAt > 0 || q.configuredAt > 0 || q.purgedAt > 0)
    copy.times = [q.createdAt, q.configuredAt, q.purgedAt]
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
  if (s.groups !== undefined) {
    if (!s.groups.isOrdered) groups.unordered.add(s.index)
    copy.groups = groupSnapshots(groups, ownGroups(s, s.groups), lists)
  }
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
