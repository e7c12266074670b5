import { State, type Ranges } from '@kiroku/message'
import { offer } from './groups.ts'
import type { QueueConfig } from './QueueConfig.ts'
import { DedupKeys, type DedupCopy } from './state/DedupKeys.ts'
import { DelayedRun } from './state/DelayedRuns.ts'
import type { Group, Groups } from './state/Groups.ts'
import { LiveSlab, type LiveCopy } from './state/LiveSlab.ts'
import { laneKey, type OutboxLane } from './state/Outbox.ts'
import { PartitionState, type CheckpointNote, type Erasure } from './state/PartitionState.ts'
import type { SnapshotSpace } from './snapshotSpace.ts'
import type { Fill } from './state/Fill.ts'
import type { SubscriptionSettings } from './SubscriptionSettings.ts'
import type { Producer } from './state/Producers.ts'
import { QueueState } from './state/QueueState.ts'
import type { Subscription } from './state/Subscription.ts'
import { recordedRedrive, type Redrive } from './state/Redrive.ts'
import { RunSlab } from './state/RunSlab.ts'
import { Spread, type LeavingPart, type Part, type Place } from './state/Spread.ts'

/** Version of the snapshots that this code writes. */
export const snapshotVersion = 3

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
  readonly producers: readonly ProducerSnapshot[]
  /** In the order in which they are looked at next; absent: none. */
  readonly attempts?: readonly AttemptSnapshot[]
  readonly outbox: readonly OutboxLane[]
  readonly forwardsSeen: readonly (readonly [key: string, upTo: number])[]
  /** Parts of spread queues that are to go; absent: none. */
  readonly leaving?: readonly LeavingPart[]
  /** Homes whose parts were here; absent: none. */
  readonly left?: readonly (readonly [key: string, revision: number])[]
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

/** One producer; `answers` are there where a message was sent before. */
type ProducerSnapshot = readonly [
  id: string,
  lastAt: number,
  highest: number,
  sends: Float64Array,
  answers?: readonly (readonly [send: number, numbers: Ranges])[],
]

/** One queue with its subscriptions. */
export interface QueueSnapshot {
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
interface GroupSnapshot {
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

/** Copies the state, into `space` where it has room; memory-bound, about 45 ms for a million live messages. */
export const snapshot = (state: PartitionState, space?: SnapshotSpace): Snapshot => ({
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
  queues: [...state.queues.values()].map((q) => queueSnapshot(state, q)),
  delayed: state.delayedRuns.items.map(({ queue, run, tag, group }) => ({
    queue: queue.id,
    run,
    tag,
    group,
  })),
  producers: [...state.producers.byId].map(producerSnapshot),
  ...attemptsSnapshot(state),
  outbox: [...state.outbox.values()].map((lane) => ({ ...lane, entries: [...lane.entries] })),
  forwardsSeen: [...state.forwardsSeen],
  ...(state.leaving.length === 0 ? undefined : { leaving: [...state.leaving] }),
  ...(state.left.size === 0 ? undefined : { left: [...state.left] }),
  ...(state.nextErasure === 1
    ? undefined
    : { erasures: { next: state.nextErasure, open: [...state.erasures] } }),
  runs: state.runs.copy(space?.runs),
  live: state.live.copy(space?.live),
})

const attemptsSnapshot = ({ attempts }: PartitionState): Pick<Snapshot, 'attempts'> => {
  const notes = [...attempts.all].map(
    ({ sub, attempt, delivery, at, numbers }) => [sub.index, attempt, delivery, at, numbers] as const,
  )
  return notes.length === 0 ? {} : { attempts: notes }
}

const producerSnapshot = ([id, p]: readonly [string, Producer]): ProducerSnapshot => {
  const { lastAt, highest, sends, answers } = p
  return answers === undefined || answers.size === 0
    ? [id, lastAt, highest, sends.slice()]
    : [id, lastAt, highest, sends.slice(), [...answers]]
}

const queueSnapshot = (state: PartitionState, q: QueueState): QueueSnapshot => ({
  id: q.id,
  name: q.name,
  config: q.recorded,
  ...(q.applied.size === 0 ? {} : { applied: [...q.applied] }),
  deliveryPaused: q.deliveryPaused,
  nextNumber: q.nextNumber,
  ...(q.purgedTo === 0 ? undefined : { purgedTo: q.purgedTo }),
  skipped: q.skipped,
  delayed: q.delayed,
  frame: [q.frameSeq, q.frameCount],
  ...(q.editedSeq === 0 ? undefined : { editedSeq: q.editedSeq }),
  nextSub: q.nextSub,
  ...(q.nextRedrive === 1 ? {} : { nextRedrive: q.nextRedrive, redrives: q.redrives.map(recordedRedrive) }),
  subs: q.subs.map(subscriptionSnapshot),
  ...(q.spread === undefined ? undefined : { spread: spreadSnapshot(q.spread) }),
  ...(q.place === undefined ? undefined : { place: q.place }),
  ...dedupSnapshot(state.dedup.of(q)),
})

const spreadSnapshot = ({ version, revision, purges, parts, closed }: Spread): SpreadSnapshot => ({
  version,
  revision,
  purges,
  parts,
  closed,
})

const dedupSnapshot = (keys: DedupKeys | undefined): Pick<QueueSnapshot, 'dedup'> =>
  keys === undefined ? {} : { dedup: keys.copy() }

const subscriptionSnapshot = (s: Subscription): SubscriptionSnapshot => ({
  index: s.index,
  id: s.id,
  name: s.name,
  settings: s.settings,
  deliveryPaused: s.deliveryPaused,
  from: s.from,
  ...(s.fill === undefined ? undefined : { fill: { ...s.fill, restoredTail: s.restoredTail } }),
  ready: [s.readyHead, s.readyTail, s.ready, s.readyBytes],
  touched: [s.head, s.tail, s.available, s.availableBytes],
  counts: counted.map((name) => s[name]),
  ...(s.groups === undefined ? undefined : { groups: groupSnapshots(s.groups, s.fill !== undefined) }),
})

const groupSnapshots = (groups: Groups, isFilling: boolean): GroupSnapshot[] => {
  const live = new Map<Group, number[]>()
  for (const [n, group] of groups.ofLive) {
    const numbers = live.get(group)
    if (numbers === undefined) live.set(group, [n])
    else numbers.push(n)
  }
  return [...groups.byKey.values()].map((g) => ({
    key: g.key,
    ready: [g.readyHead, g.readyTail, g.ready],
    ...(isFilling ? { restoredTail: g.restoredTail } : undefined),
    touched: [...g.touched],
    live: live.get(g) ?? [],
  }))
}

/** What repairs gave up as far as the snapshot knows: an older one only knows that there was one. */
export const givenUpIn = ({ givenUp, repairedEpoch, seq }: Snapshot): PartitionState['givenUp'] => [
  ...(givenUp ?? (repairedEpoch === 0 ? [] : [{ from: 1, upTo: seq }])),
]

/** Rebuilds a state from a snapshot, which it takes over. */
export const restore = (s: Snapshot): PartitionState => {
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
  state.live = LiveSlab.restore(s.live)
  for (const q of s.queues) restoreQueue(state, q)
  for (const { queue, run, tag, group } of s.delayed) {
    const { runs } = state
    state.delayedRuns.push(
      new DelayedRun(state.queues.get(queue)!, run, runs.first(run), runs.dueAt(run), tag, group),
    )
  }
  for (const [id, lastAt, highest, sends, answers] of s.producers)
    state.producers.byId.set(id, {
      lastAt,
      highest,
      sends,
      ...(answers === undefined ? {} : { answers: new Map(answers) }),
    })
  for (const [index, attempt, delivery, at, numbers] of s.attempts ?? [])
    state.attempts.restore({ sub: state.subscriptions[index]!, attempt, delivery, at, numbers })
  for (const lane of s.outbox) state.outbox.set(laneKey(lane.source, lane.target), lane)
  for (const [key, upTo] of s.forwardsSeen) state.forwardsSeen.set(key, upTo)
  state.leaving = [...(s.leaving ?? [])]
  for (const [key, revision] of s.left ?? []) state.left.set(key, revision)
  if (s.erasures !== undefined) {
    state.nextErasure = s.erasures.next
    state.erasures = [...s.erasures.open]
  }
  state.sweepAt = 0
  return state
}

const restoreQueue = (state: PartitionState, q: QueueSnapshot): void => {
  const queue = new QueueState(q.id, q.name, q.config)
  for (const [source, digest] of q.applied ?? []) queue.noteApplied({ source, digest })
  queue.deliveryPaused = q.deliveryPaused
  queue.nextNumber = q.nextNumber
  queue.purgedTo = q.purgedTo ?? 0
  queue.skipped = q.skipped
  queue.delayed = q.delayed
  ;[queue.frameSeq, queue.frameCount] = q.frame
  queue.editedSeq = q.editedSeq ?? 0
  state.queues.set(q.id, queue)
  state.names.set(q.name, queue)
  if (q.spread !== undefined) {
    queue.spread = Object.assign(new Spread(), q.spread)
    queue.spread.revisedSeq = state.frameSeq
    if (q.spread.parts.length > 0) state.homes.add(queue)
  }
  queue.place = q.place
  for (const sub of q.subs) restoreSubscription(state, queue, sub)
  if (q.dedup !== undefined) state.dedup.restore(queue, DedupKeys.restore(q.dedup))
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

const restoreSubscription = (state: PartitionState, queue: QueueState, s: SubscriptionSnapshot): void => {
  const sub = queue.open(s.index, s.id, s.name, s.settings)
  sub.deliveryPaused = s.deliveryPaused
  sub.from = s.from
  if (s.fill !== undefined) {
    const { restoredTail, ...fill } = s.fill
    sub.fill = fill
    sub.restoredTail = restoredTail
    state.filling.add(sub)
  }
  ;[sub.readyHead, sub.readyTail, sub.ready, sub.readyBytes] = s.ready
  ;[sub.head, sub.tail, sub.available, sub.availableBytes] = s.touched
  counted.forEach((name, i) => (sub[name] = s.counts[i]!))
  sub.availableSince = state.at
  while (state.subscriptions.length <= s.index) state.subscriptions.push(undefined)
  state.subscriptions[s.index] = sub
  for (const group of s.groups ?? []) restoreGroup(state, sub, group)
}

const restoreGroup = (state: PartitionState, sub: Subscription, g: GroupSnapshot): void => {
  const { runs, live } = state
  const groups = sub.groups!
  const group = groups.of(g.key)
  ;[group.readyHead, group.readyTail, group.ready] = g.ready
  group.restoredTail = g.restoredTail ?? 0
  if (group.readyHead !== 0) groups.ofHead.set(runs.first(group.readyHead), group)
  group.touched.push(...g.touched)
  group.live = g.live.length
  for (const n of g.live) {
    groups.ofLive.set(n, group)
    if (live.state[live.find(sub.index, n)] === State.Inflight) group.inflight++
  }
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
