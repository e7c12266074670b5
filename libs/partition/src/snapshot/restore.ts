import { State } from '@kiroku/protocol'
import { DelayedRun } from '../delay/DelayedRuns.ts'
import { laneKey } from '../forward/Outbox.ts'
import { groupTouched, offer } from '../groups/groupLists.ts'
import { requireReadable } from '../owner/clusterVersion.ts'
import { recordedRedrive } from '../redrive/redriveRecord.ts'
import { DedupKeys } from '../repeats/DedupKeys.ts'
import { Spread } from '../spread/Spread.ts'
import { PartitionState } from '../state/PartitionState.ts'
import { QueueState, type Subscription } from '../state/QueueState.ts'
import { LiveSlab } from '../store/LiveSlab.ts'
import { RunSlab } from '../store/RunSlab.ts'
import { toEnd } from '../store/toEnd.ts'
import {
  counted,
  givenUpIn,
  type GroupSnapshot,
  type QueueSnapshot,
  type Snapshot,
  type SubscriptionSnapshot,
} from './Snapshot.ts'

export const sliceItems = 10_000

/** Groups, each of which takes some µs to be restored. */
const sliceGroups = 1_000

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
  for (const [name, at] of s.deletedNames ?? []) state.deletedNames.set(name, at)
  state.firstForward = s.firstForward
  state.bridgedSeq = s.bridgedSeq ?? 0
  state.voidDeliveries = [...(s.voidDeliveries ?? [])]
  state.foreignRecords = s.foreignRecords
  requireReadable(state, s.clusterVersion ?? 0)
  state.clusterVersion = s.clusterVersion ?? 0
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
  for (const [name, text] of q.notes ?? []) queue.notes.set(name, text)
  ;[queue.createdAt, queue.configuredAt, queue.purgedAt] = q.times ?? [0, 0, 0]
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
    else if (live.state[slot] === State.WaitingRetry) group.waiting++
    else group.againCount++
  }
  if (!groups.isOrdered) for (const n of g.touched) live.groupLinks.append(group, live.find(sub.index, n))
  offer(state, sub, group)
}
