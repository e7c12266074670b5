import {
  limits,
  type LogEventOf,
  mainSubscription,
  type QueueConfig,
  queueNotesLevel,
  State,
} from '@kiroku/protocol'
import { queueOf, subOf } from '../eventTargets.ts'
import { endHold } from '../settle/hold.ts'
import { leaveParts, revise } from '../spread/evolveSpread.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import { QueueState } from '../state/QueueState.ts'
import { dropQueue, purgeQueue } from '../store/dropRuns.ts'
import { open } from '../subscription/evolveSubscription.ts'

export const queueCreated = (state: PartitionState, e: LogEventOf<'QueueCreated'>): void => {
  const queue = new QueueState(e.queue, e.name, e.config as Partial<QueueConfig>, state.groups)
  if (e.applied !== undefined) queue.noteApplied(e.applied)
  noteTime(state, queue, 'createdAt')
  noteTime(state, queue, 'configuredAt')
  state.queues.set(e.queue, queue)
  state.names.set(e.name, queue)
  open(state, queue, 0, mainSubscription, {})
  if (e.queue >= state.nextQueue) state.nextQueue = e.queue + 1
  if (queue.config.idleMs > 0) restartIdle(state, queue)
}

export const queueConfigured = (state: PartitionState, e: LogEventOf<'QueueConfigured'>): void => {
  const queue = queueOf(state, e.queue)
  const before = queue.config.retentionMs
  state.dedup.expire(queue, state.at)
  queue.configure(e.config as Partial<QueueConfig>)
  noteTime(state, queue, 'configuredAt')
  state.dedup.expire(queue, state.at)
  for (const sub of queue.subs) state.watcher?.configured(sub)
  if (e.applied !== undefined) queue.noteApplied(e.applied)
  if (queue.config.idleMs > 0) restartIdle(state, queue)
  revise(state, queue)
  if (queue.config.retentionMs === before) return
  const live = state.live
  for (let slot = 0; slot < live.top; slot++)
    if (live.state[slot] === State.Available && state.subscriptions[live.owner[slot]!]!.queue === queue)
      live.schedule(slot, live.enqueuedAt[slot]! + queue.config.retentionMs)
  state.watcher?.restartSweep()
}

export const queueNoted = (state: PartitionState, e: LogEventOf<'QueueNoted'>): void => {
  const queue = queueOf(state, e.queue)
  for (const [name, text] of e.notes)
    if (text === null) queue.notes.delete(name)
    else queue.notes.set(name, text)
  noteTime(state, queue, 'configuredAt')
}

/**
 * Keeps when something was done to a queue. Not before every node does, so that a state from an earlier checkpoint comes to the
 * same as a replay of the whole record.
 */
const noteTime = (
  { at, clusterVersion }: PartitionState,
  queue: QueueState,
  what: 'createdAt' | 'configuredAt' | 'purgedAt',
): void => {
  if (clusterVersion >= queueNotesLevel) queue[what] = at
}

/** A queue that is deleted when idle is not so from now on. */
const restartIdle = ({ watcher }: PartitionState, queue: QueueState): void => {
  watcher?.queueSeen(queue)
  watcher?.restartSweep()
}

export const queueDeleted = (state: PartitionState, e: LogEventOf<'QueueDeleted'>): void => {
  const queue = queueOf(state, e.queue)
  dropQueue(state, queue)
  noteDeleted(state, queue.name)
  state.homes.delete(queue)
  leaveParts(state, queue)
}

const noteDeleted = ({ deletedNames, at }: PartitionState, name: string): void => {
  deletedNames.delete(name)
  deletedNames.set(name, at)
  for (const [other, then] of deletedNames) {
    if (then > at - limits.deletedNamesMs && deletedNames.size <= limits.deletedNamesMax) return
    deletedNames.delete(other)
  }
}

export const queuePurged = (state: PartitionState, e: LogEventOf<'QueuePurged'>): void => {
  const queue = queueOf(state, e.queue)
  purgeQueue(state, queue, e.upTo)
  noteTime(state, queue, 'purgedAt')
  if (queue.spread !== undefined) queue.spread.purges++
  revise(state, queue)
}

export const deliveryPaused = (
  state: PartitionState,
  e: LogEventOf<'DeliveryPaused'> | LogEventOf<'DeliveryResumed'>,
): void => {
  const paused = e.type === 'DeliveryPaused'
  const queue = queueOf(state, e.queue)
  if (e.sub === undefined) queue.deliveryPaused = paused
  else subOf(state, e.queue, e.sub).deliveryPaused = paused
  for (const sub of paused ? [] : queue.subs) {
    if (e.sub === undefined || e.sub === sub.id) endHold(state, sub)
    state.watcher?.look(sub)
  }
  revise(state, queue)
}
