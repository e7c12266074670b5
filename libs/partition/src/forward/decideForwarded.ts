import {
  type Actor,
  type Answers,
  type CommandOf,
  type DeadLetterTarget,
  isSameQueue,
  KirokuError,
  limits,
  mainSubscription,
  pushNumber,
  type QueueAddress,
  rangeBytes,
  type Ranges,
  textBytes,
  valueBytes,
} from '@kiroku/protocol'
import { type Turn } from '../Turn.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import { type QueueState } from '../state/QueueState.ts'
import { laneKey, type OutboxEntry, type OutboxLane } from './Outbox.ts'

/**
 * Takes note of what the target said of the next letters of a lane. Where it was deleted, those that it had stored are
 * done: they went with it. The others go to the queue that has its name now, or to where the setting of their
 * subscription says now; where neither leads anywhere they stay.
 */
export const decideForwarded = <B>(turn: Turn<B>, lane: OutboxLane, said: Answers['Forward']): void => {
  const { state } = turn
  const { source, target, next } = lane
  if (state.lane(source, target) !== lane) return
  const upTo = said.outcome === 'stored' ? said.upTo : Math.min(said.stored ?? 1, next)
  const first = lane.entries[0]
  if (first !== undefined && upTo > first.forward)
    turn.emit({ type: 'Forwarded', source, target, upTo, outcome: 'stored' })
  // Without knowing what it had stored, some might arrive twice: a newer node will say.
  if (said.outcome === 'targetGone' && said.stored !== undefined) readdress(turn, lane, said.again)
  closeEmptied(turn, lane)
  if (said.outcome === 'stored') turn.own.held.delete(lane)
  else turn.own.hold(lane, 'targetGone', turn.now)
  endLanes(turn, source)
}

/** Has the target forget a lane whose letters all went elsewhere. */
const closeEmptied = <B>(turn: Turn<B>, { source, target }: OutboxLane): void => {
  if (turn.state.lane(source, target) !== undefined) return
  turn.emit({ type: 'LanesClosed', source, targets: [target.partition, target.queue] })
}

/** Closes the lanes of a queue that was deleted, as their letters have arrived; those that are too many follow later. */
export const endLanes = <B>(turn: Turn<B>, source: number): void => {
  const { outbox, queues } = turn.state
  if (queues.has(source)) return
  const targets: number[] = []
  for (const lane of outbox.values()) {
    if (lane.source !== source || lane.entries.length > 0) continue
    targets.push(lane.target.partition, lane.target.queue)
    if (targets.length >= 2 * limits.lanesClosedMax) break
  }
  if (targets.length > 0) turn.emit({ type: 'LanesClosed', source, targets })
}

/** What a partition is to be told of lanes to it, as far as it is stored up to `seq`. */
export const closedLanesFor = (
  { partition: from, closedLanes }: PartitionState,
  partition: number,
  seq: number,
): CommandOf<'ForgetLanes'> | undefined => {
  const lanes: number[] = []
  let first = 0
  for (const closed of closedLanes) {
    if (closed.partition !== partition) continue
    if (closed.decidedSeq > seq || lanes.length >= 2 * limits.lanesClosedMax) break
    for (const target of closed.targets) lanes.push(closed.source, target)
    first = closed.first
  }
  return first === 0 ? undefined : { type: 'ForgetLanes', from, lanes, first }
}

/** Takes note that a partition has forgotten lanes. */
export const decideClosingTold = <B>(turn: Turn<B>, partition: number, upTo: number): void => {
  const told = turn.state.closedLanes.filter((c) => c.partition === partition && c.first <= upTo)
  if (told.length > 0) turn.emit({ type: 'ClosingTold', partition, upTo })
  for (const source of new Set(told.map((c) => c.source))) endLanes(turn, source)
}

/**
 * Forgets what is known of lanes that another partition closed. A forward of them that is still under way says that it
 * left before, so that it is not taken for a first one.
 */
export const decideForgetLanes = <B>(turn: Turn<B>, c: CommandOf<'ForgetLanes'>, token: number): void => {
  const { from: partition, lanes: all, first } = c
  if (![partition, first, ...all].every((n) => Number.isSafeInteger(n) && n >= 0) || all.length % 2 !== 0)
    return turn.refuse(
      token,
      new KirokuError('InvalidArgument', 'lanes are pairs of a source and a target queue'),
    )
  const lanes: number[] = []
  for (let i = 0; i + 1 < all.length; i += 2)
    if (turn.state.nextForward({ partition, queue: all[i]! }, all[i + 1]!) !== undefined)
      lanes.push(all[i]!, all[i + 1]!)
  if (lanes.length > 0) turn.emit({ type: 'LanesForgotten', partition, lanes, first })
  turn.ok(token, {})
}

/** Sends on what waits for targets that are gone, ahead of what comes later, as soon as a queue has another setting. */
export const readdressHeld = <B>(turn: Turn<B>, queue: QueueState): void => {
  const { held } = turn.own
  for (const [lane, { reason }] of [...held]) {
    if (lane.source !== queue.id || reason !== 'targetGone') continue
    readdress(turn, lane, undefined)
    closeEmptied(turn, lane)
    if (lane.entries.length === 0) held.delete(lane)
  }
}

/** The most that the facts here take beside the settings, the names and the ranges of numbers in them. */
const factBytes = 600

/**
 * Brings the letters of a lane whose target is gone to where they are meant to go now. Those that find no room in the turn
 * stay for when the target is asked again.
 */
const readdress = <B>(turn: Turn<B>, lane: OutboxLane, again: number | undefined): void => {
  const { state } = turn
  const { source, target: from } = lane
  const name = state.targetName(lane)
  const sameName =
    again === undefined || name === undefined ? undefined : { name, partition: from.partition, queue: again }
  if (sameName !== undefined) renew(turn, from, sameName, state.queues.get(source))
  const moves = new Map<string, { readonly to: DeadLetterTarget; readonly forwards: Ranges }>()
  let room = turn.commandRoom
  for (const entry of lane.entries) {
    const to = meantFor(state, lane, entry) ?? sameName
    if (to === undefined) continue
    const key = laneKey(source, to)
    const move = moves.get(key)
    const bytes = rangeBytes + (move === undefined ? factBytes + textBytes(to.name) : 0)
    if (bytes > room) break
    const ranges = move?.forwards.length ?? 0
    if (move === undefined) moves.set(key, { to, forwards: [entry.forward, 1] })
    else pushNumber(move.forwards, entry.forward)
    if (move === undefined || move.forwards.length > ranges) room -= bytes
  }
  for (const [key, { to, forwards }] of moves) {
    const { partition, queue } = to
    const forward = state.outbox.get(key)?.next ?? state.firstForward
    const target = { partition, queue }
    turn.emit({ type: 'Readdressed', source, from, forwards, target, name: to.name, forward })
  }
}

/** Where the setting says now that a dead letter goes, when that is elsewhere. */
const meantFor = (
  { queues }: PartitionState,
  { source, target }: OutboxLane,
  { cause, subscription }: OutboxEntry,
): DeadLetterTarget | undefined => {
  if (cause === 'redriven') return undefined
  const meant = queues.get(source)?.named(subscription ?? mainSubscription)?.config.deadLetter ?? undefined
  return meant === undefined || isSameQueue(meant, target) ? undefined : meant
}

/** Has the settings that name a queue mean the one that has its name now. */
const renew = <B>(
  turn: Turn<B>,
  gone: QueueAddress,
  deadLetter: DeadLetterTarget,
  queue: QueueState | undefined,
): void => {
  const by: Actor = { name: 'engine', origin: `queue "${deadLetter.name}" was made again` }
  for (const { sub } of queue?.deadLettersTo(gone) ?? []) {
    const { id } = queue!
    // Its next letter finds out again.
    if (turn.commandRoom < factBytes + valueBytes(sub?.settings ?? queue!.config)) return
    if (sub === undefined)
      turn.emit({ type: 'QueueConfigured', queue: id, config: { ...queue!.config, deadLetter }, by })
    else
      turn.emit({
        type: 'SubscriptionConfigured',
        queue: id,
        sub: sub.id,
        settings: { ...sub.settings, deadLetter },
        by,
      })
  }
}
