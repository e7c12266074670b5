import {
  KirokuError,
  type LogEvent,
  type LogEventOf,
  type QueueConfig,
  type Ranges,
  State,
  type SubscriptionSettings,
} from '@kiroku/protocol'
import { moveDelayed, recallDelayed, takeDelayed } from './delay/delayed.ts'
import { bodyEdited } from './edit/editBody.ts'
import { takeErased } from './erasure/erased.ts'
import { isSameQueue, laneKey, laneOf, seenKey } from './forward/Outbox.ts'
import { lanesClosed, lanesEnded, lanesForgotten, readdressed } from './forward/evolveReaddressed.ts'
import { groupDelivered } from './groups/groupLists.ts'
import { clockResumed } from './owner/clock.ts'
import { begin, filled, runsRestored } from './past/evolveFill.ts'
import { redriveEnded, redriveStarted, redriven } from './redrive/evolveRedrive.ts'
import { deliveryHeld, endHold } from './settle/hold.ts'
import {
  leaveParts,
  partClosed,
  partGone,
  partLeft,
  partOpened,
  partPlaced,
  queueSpread,
  revise,
} from './spread/evolveSpread.ts'
import type { PartitionState } from './state/PartitionState.ts'
import { mainSubscription, QueueState } from './state/QueueState.ts'
import type { Subscription } from './state/Subscription.ts'
import { land, link, retire, unlink } from './store/availableList.ts'
import {
  addArrival,
  bringForward,
  distribute,
  dropQueue,
  dropSubscription,
  purgeQueue,
  takeFromRuns,
} from './store/readyRuns.ts'
import { carryBodies, carryLetters } from './trim/carry.ts'

/** Says which frame the following events belong to, and its partition time in ms. */
export const beginFrame = (state: PartitionState, seq: number, at: number): void => {
  state.frameSeq = seq
  if (at > state.at) state.at = at
  state.dedup.sweep(state.at)
}

/**
 * Applies a fact. No guard is asked: what the log says happened. Errors: `LogDamaged` when a fact names what
 * cannot be there, `FutureVersion` for a fact of a newer version.
 */
export const evolve = (state: PartitionState, event: LogEvent): void => {
  switch (event.type) {
    case 'Enqueued':
      return enqueued(state, event)
    case 'Deduplicated':
      return state.producers.noteAnswer(event.producer, event.send, event.queue, event.answer, state.at)
    case 'ForwardReceived':
      return forwardReceived(state, event)
    case 'Delivered':
      return delivered(state, event)
    case 'Acked':
      return finished(state, event, 'committed')
    case 'RetryScheduled':
    case 'LeaseExpired':
    case 'Deferred':
      return paused(state, event)
    case 'RetryDue':
    case 'Released':
      return returned(state, event)
    case 'LeaseExtended':
      return extended(state, event)
    case 'DelayElapsed':
      return delayElapsed(state, event)
    case 'Recalled':
    case 'Rescheduled':
      return revised(state, event)
    case 'DeadLettered':
      return deadLettered(state, event)
    case 'Discarded':
      return discarded(state, event)
    case 'RedriveStarted':
      return redriveStarted(state, queueOf(state, event.queue), subOf(state, event.queue, event.sub), event)
    case 'Redriven':
      return redriven(state, queueOf(state, event.queue), subOf(state, event.queue, event.sub), event)
    case 'RedriveEnded':
      return redriveEnded(state, queueOf(state, event.queue), event)
    case 'Forwarded':
      return forwarded(state, event)
    case 'Readdressed':
      return readdressed(state, event)
    case 'LanesEnded':
      return lanesEnded(state, event)
    case 'LanesClosed':
      return lanesClosed(state, event)
    case 'ClosingTold':
      state.closedLanes = state.closedLanes.filter(
        ({ partition, first }) => partition !== event.partition || first > event.upTo,
      )
      return
    case 'LanesForgotten':
      return lanesForgotten(state, event)
    case 'BodyEdited':
      return bodyEdited(state, queueOf(state, event.queue), event)
    case 'BodiesCarried':
      return carryBodies(state, queueOf(state, event.queue), event.numbers)
    case 'LettersCarried':
      return carryLetters(state, event)
    case 'Erased':
      return erased(state, event)
    case 'KeysDeleted':
      state.erasures = state.erasures.filter(({ erasure }) => erasure !== event.erasure)
      return
    case 'QueueCreated':
      return queueCreated(state, event)
    case 'QueueConfigured':
      return queueConfigured(state, event)
    case 'QueueDeleted':
      return queueDeleted(state, event)
    case 'QueuePurged':
      return queuePurged(state, event)
    case 'DeliveryPaused':
    case 'DeliveryResumed':
      return deliveryPaused(state, event)
    case 'DeliveryHeld':
      return deliveryHeld(state, subOf(state, event.queue, event.sub), event)
    case 'SubscriptionCreated':
      return subscriptionCreated(state, event)
    case 'SubscriptionConfigured':
      return subscriptionConfigured(state, event)
    case 'SubscriptionReset':
      return subscriptionReset(state, event)
    case 'RunsRestored':
      return runsRestored(state, subOf(state, event.queue, event.sub), event)
    case 'SubscriptionFilled':
      return filled(state, subOf(state, event.queue, event.sub))
    case 'SubscriptionDeleted':
      return subscriptionDeleted(state, event)
    case 'QueueSpread':
      return queueSpread(state, queueOf(state, event.queue), event)
    case 'PartOpened':
      return partOpened(state, queueOf(state, event.queue), event)
    case 'PartClosed':
      return partClosed(state, queueOf(state, event.queue), event)
    case 'PartGone':
      return partGone(state, event)
    case 'PartPlaced':
      return partPlaced(state, queueOf(state, event.queue), event)
    case 'PartLeft':
      return partLeft(state, event)
    case 'OwnerChanged':
      state.epoch = event.epoch
      state.node = event.node
      return
    case 'ClockResumed':
      return clockResumed(state, event)
    case 'Checkpointed':
      state.checkpoints.push({ seq: event.seq, digest: event.digest, stateHash: event.stateHash })
      return
    case 'Trimmed':
      state.trimmedTo = event.upTo
      state.givenUp = state.givenUp.filter(({ upTo }) => upTo > event.upTo)
      state.checkpoints = state.checkpoints.filter((c) => c.seq > event.upTo)
      return
    case 'StoreShort':
      return
    case 'ForeignRecordSkipped':
      state.foreignRecords++
      return
    case 'Repaired':
      return repaired(state, event)
    default:
      return unknown(state, event)
  }
}

/** What a newer version recorded. Where it marks the event as optional, whoever does not know it may go on without. */
const unknown = (state: PartitionState, event: { readonly type: string; readonly optional?: true }): void => {
  if (event.optional === true) {
    state.eventsSkipped++
    return
  }
  throw new KirokuError(
    'FutureVersion',
    `record ${state.frameSeq} holds an event of the unknown type ${event.type}: a newer Kiroku wrote it; install that version`,
  )
}

const queueOf = (state: PartitionState, id: number): QueueState => {
  const queue = state.queues.get(id)
  if (queue === undefined)
    throw new KirokuError('LogDamaged', `an event at ${state.frameSeq} names queue ${id}, which is not there`)
  return queue
}

const subOf = (state: PartitionState, queue: number, sub: number): Subscription => {
  const found = state.subscriptionOf(queue, sub)
  if (found === undefined)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} names subscription ${queue}/${sub}, which is not there`,
    )
  return found
}

/** Calls `each` with the slot of every message in `numbers`; all must be live. */
const eachSlot = (
  state: PartitionState,
  sub: Subscription,
  numbers: Ranges,
  each: (slot: number) => void,
): void => {
  for (let i = 0; i < numbers.length; i += 2) {
    const first = numbers[i]!
    for (let n = first, end = first + numbers[i + 1]!; n < end; n++) {
      const slot = state.live.find(sub.index, n)
      if (slot < 0)
        throw new KirokuError(
          'LogDamaged',
          `an event at ${state.frameSeq} names message ${n} of queue ${sub.queue.id}, which is not live`,
        )
      each(slot)
    }
  }
}

const enqueued = (state: PartitionState, e: LogEventOf<'Enqueued'>): void => {
  const queue = queueOf(state, e.queue)
  addArrival(state, queue, e, state.at, e.dueAt === 0 ? 0 : e.dueAt - state.at)
  state.producers.note(e.producer, e.send, e.queue, e.first, e.count, state.at)
  if (e.keys !== undefined) state.dedup.add(queue, e.keys, e.first, state.at)
}

const forwardReceived = (state: PartitionState, e: LogEventOf<'ForwardReceived'>): void => {
  const queue = queueOf(state, e.queue)
  state.forwardsSeen.set(seenKey(e.from, e.queue), e.forward + e.count)
  if (queue.config.retentionFrom === 'arrival') addArrival(state, queue, e, state.at, 0)
  else
    for (let i = 0; i < e.count; i++) {
      const one = { ...e, first: e.first + i, count: 1, bytes: Math.round(e.bytes / e.count) }
      addArrival(state, queue, one, e.enqueuedAt[i]!, 0)
    }
}

const delivered = (state: PartitionState, e: LogEventOf<'Delivered'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  const live = state.live
  const simple = e.mode === 'simple' ? 1 : 0
  for (let i = 0; i < e.numbers.length; i += 2) {
    let n = e.numbers[i]!
    let left = e.numbers[i + 1]!
    while (left > 0) {
      let slot = sub.available > 0 ? live.find(sub.index, n) : -1
      if (slot >= 0) {
        unlink(live, sub, slot)
        sub.redelivered++
      } else slot = takeFromRuns(state, sub, n)
      live.state[slot] = State.Inflight
      live.attempt[slot] = live.attempt[slot]! + 1
      live.attemptsMax[slot] = e.attemptsMax
      live.delivery[slot] = e.delivery
      if (sub.groups !== undefined) groupDelivered(state, sub, slot, e.delivery)
      live.leaseCap[slot] = e.leaseCap
      live.simple[slot] = simple
      live.schedule(slot, e.leaseUntil)
      n++
      left--
    }
  }
  const count = total(e.numbers)
  sub.inflight += count
  sub.flow?.entered(e.delivery, count)
  if (e.delivery >= state.nextDelivery) state.nextDelivery = e.delivery + 1
  if (e.attempt !== undefined) {
    const { attempt, delivery, numbers } = e
    state.attempts.note({ sub, attempt, delivery, at: state.at, numbers }, live)
  }
}

const total = (numbers: Ranges): number => {
  let count = 0
  for (let i = 1; i < numbers.length; i += 2) count += numbers[i]!
  return count
}

const finished = (
  state: PartitionState,
  e: { queue: number; sub: number; numbers: Ranges },
  counter: 'committed' | 'deadLettered' | 'discarded',
): void => {
  const sub = subOf(state, e.queue, e.sub)
  eachSlot(state, sub, e.numbers, (slot) => retire(state, sub, slot))
  sub[counter] += total(e.numbers)
  makeRoom(state, sub)
}

/** Those who wait for room are looked at again. */
const makeRoom = (state: PartitionState, sub: Subscription): void => {
  if (sub.flow !== undefined) state.dirty.add(sub)
}

const paused = (
  state: PartitionState,
  e: LogEventOf<'RetryScheduled'> | LogEventOf<'LeaseExpired'> | LogEventOf<'Deferred'>,
): void => {
  const sub = subOf(state, e.queue, e.sub)
  const live = state.live
  eachSlot(state, sub, e.numbers, (slot) => {
    land(state, sub, slot)
    if (e.type === 'Deferred') live.attempt[slot] = live.attempt[slot]! - 1
    if (e.dueAt === 0) link(state, sub, slot)
    else {
      live.state[slot] = State.WaitingRetry
      live.schedule(slot, e.dueAt)
      sub.waitingRetry++
    }
  })
  makeRoom(state, sub)
}

const returned = (state: PartitionState, e: LogEventOf<'RetryDue'> | LogEventOf<'Released'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  const live = state.live
  eachSlot(state, sub, e.numbers, (slot) => {
    if (e.type === 'Released') {
      land(state, sub, slot)
      live.attempt[slot] = live.attempt[slot]! - 1
    } else sub.waitingRetry--
    link(state, sub, slot)
  })
}

const extended = (state: PartitionState, e: LogEventOf<'LeaseExtended'>): void =>
  eachSlot(state, subOf(state, e.queue, e.sub), e.numbers, (slot) => state.live.schedule(slot, e.leaseUntil))

const delayElapsed = (state: PartitionState, e: LogEventOf<'DelayElapsed'>): void =>
  distribute(state, takeDelayed(state, queueOf(state, e.queue), e.numbers[0]!), e.filteredBy)

const revised = (state: PartitionState, e: LogEventOf<'Recalled'> | LogEventOf<'Rescheduled'>): void => {
  const queue = queueOf(state, e.queue)
  if (e.type === 'Recalled') recallDelayed(state, queue, e.number)
  else moveDelayed(state, queue, e.number, e.dueAt)
  state.producers.note(e.producer, e.send, e.queue, e.number, 1, state.at)
}

const deadLettered = (state: PartitionState, e: LogEventOf<'DeadLettered'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  const { deadLetter } = sub.config
  const isOwn = deadLetter !== null && isSameQueue(deadLetter, e.target)
  const lane = laneOf(state.outbox, e.queue, e.target, isOwn ? deadLetter.name : undefined)
  const live = state.live
  let forward = e.forward
  eachSlot(state, sub, e.numbers, (slot) => {
    lane.entries.push({
      forward: forward++,
      decidedSeq: state.frameSeq,
      number: live.number[slot]!,
      seq: live.seq[slot]!,
      index: live.index[slot]!,
      bytes: live.bytes[slot]!,
      attempts: live.attempt[slot]!,
      cause: e.cause,
      error: e.error,
      enqueuedAt: live.enqueuedAt[slot]!,
      ...(sub.name === mainSubscription ? undefined : { subscription: sub.name }),
    })
  })
  lane.next = forward
  finished(state, e, 'deadLettered')
}

const discarded = (state: PartitionState, e: LogEventOf<'Discarded'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  if (e.reason === 'erased') {
    takeErased(state, sub, e.numbers)
    return makeRoom(state, sub)
  }
  // Retention and operators also end untouched messages, which have no slot: they become one on their way out.
  if (e.cause === 'retention' || e.cause === 'operator')
    for (let i = 0; i < e.numbers.length; i += 2)
      for (let n = e.numbers[i]!, end = n + e.numbers[i + 1]!; n < end; n++) {
        if (state.live.find(sub.index, n) >= 0) continue
        if (e.cause === 'operator') bringForward(state, sub, n)
        const slot = takeFromRuns(state, sub, n)
        state.live.state[slot] = State.Inflight
        state.live.delivery[slot] = 0
        sub.inflight++
        if (sub.groups !== undefined) sub.groups.ofSlot(state.live, slot).inflight++
      }
  finished(state, e, 'discarded')
}

const erased = (state: PartitionState, e: LogEventOf<'Erased'>): void => {
  const { erasure, queue, numbers, group, key } = e
  queueOf(state, queue)
  state.nextErasure = erasure + 1
  state.erasures.push({
    erasure,
    queue,
    seq: state.frameSeq,
    ...(numbers === undefined ? {} : { numbers }),
    ...(group === undefined ? {} : { group }),
    ...(key === undefined ? {} : { key }),
  })
}

const forwarded = (state: PartitionState, e: LogEventOf<'Forwarded'>): void => {
  const lane = state.outbox.get(laneKey(e.source, e.target))
  if (lane === undefined) return
  let done = 0
  while (done < lane.entries.length && lane.entries[done]!.forward < e.upTo) done++
  lane.entries.splice(0, done)
}

const queueCreated = (state: PartitionState, e: LogEventOf<'QueueCreated'>): void => {
  const queue = new QueueState(e.queue, e.name, e.config as Partial<QueueConfig>, state.groups)
  if (e.applied !== undefined) queue.noteApplied(e.applied)
  queue.receivedAt = state.at
  state.queues.set(e.queue, queue)
  state.names.set(e.name, queue)
  open(state, queue, 0, mainSubscription, {})
  if (e.queue >= state.nextQueue) state.nextQueue = e.queue + 1
  if (queue.config.idleMs > 0) state.sweep.restart()
}

const queueConfigured = (state: PartitionState, e: LogEventOf<'QueueConfigured'>): void => {
  const queue = queueOf(state, e.queue)
  const before = queue.config.retentionMs
  state.dedup.expire(queue, state.at)
  queue.configure(e.config as Partial<QueueConfig>)
  state.dedup.expire(queue, state.at)
  for (const sub of queue.subs) state.dirty.add(sub)
  if (e.applied !== undefined) queue.noteApplied(e.applied)
  if (queue.config.idleMs > 0) {
    queue.receivedAt = state.at
    state.sweep.restart()
  }
  revise(state, queue)
  if (queue.config.retentionMs === before) return
  const live = state.live
  for (let slot = 0; slot < live.top; slot++)
    if (live.state[slot] === State.Available && state.subscriptions[live.owner[slot]!]!.queue === queue)
      live.schedule(slot, live.enqueuedAt[slot]! + queue.config.retentionMs)
  state.sweep.restart()
}

const queueDeleted = (state: PartitionState, e: LogEventOf<'QueueDeleted'>): void => {
  const queue = queueOf(state, e.queue)
  dropQueue(state, queue)
  state.homes.delete(queue)
  leaveParts(state, queue)
}

const queuePurged = (state: PartitionState, e: LogEventOf<'QueuePurged'>): void => {
  const queue = queueOf(state, e.queue)
  purgeQueue(state, queue, e.upTo)
  if (queue.spread !== undefined) queue.spread.purges++
  revise(state, queue)
}

const deliveryPaused = (
  state: PartitionState,
  e: LogEventOf<'DeliveryPaused'> | LogEventOf<'DeliveryResumed'>,
): void => {
  const paused = e.type === 'DeliveryPaused'
  const queue = queueOf(state, e.queue)
  if (e.sub === undefined) queue.deliveryPaused = paused
  else subOf(state, e.queue, e.sub).deliveryPaused = paused
  for (const sub of paused ? [] : queue.subs) {
    if (e.sub === undefined || e.sub === sub.id) endHold(state, sub)
    state.dirty.add(sub)
  }
  revise(state, queue)
}

const open = (
  state: PartitionState,
  queue: QueueState,
  id: number,
  name: string,
  settings: SubscriptionSettings,
): Subscription => {
  let index = state.subscriptions.indexOf(undefined)
  if (index < 0) index = state.subscriptions.length
  const sub = queue.open(index, id, name, settings)
  state.subscriptions[index] = sub
  makeRoom(state, sub)
  return sub
}

const subscriptionCreated = (state: PartitionState, e: LogEventOf<'SubscriptionCreated'>): void => {
  const queue = queueOf(state, e.queue)
  begin(state, open(state, queue, e.sub, e.name, e.settings as SubscriptionSettings), e)
  revise(state, queue)
}

const subscriptionConfigured = (state: PartitionState, e: LogEventOf<'SubscriptionConfigured'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  sub.configure(e.settings as SubscriptionSettings)
  state.dirty.add(sub)
  revise(state, sub.queue)
}

/** Receives that wait go on with the new generation. */
const subscriptionReset = (state: PartitionState, e: LogEventOf<'SubscriptionReset'>): void => {
  const queue = queueOf(state, e.queue)
  const before = queue.named(e.name)
  if (before === undefined)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} resets subscription "${e.name}", which is not there`,
    )
  dropSubscription(state, before)
  const sub = open(state, queue, e.sub, e.name, before.settings)
  begin(state, sub, e)
  sub.deliveryPaused = before.deliveryPaused
  sub.hold = before.hold
  if (sub.hold !== undefined) state.holds.add(sub)
  sub.polls = before.polls
  sub.pollsByAttempt = before.pollsByAttempt
  sub.groupPolls = before.groupPolls
  for (const poll of sub.waiting()) poll.subscription = sub
  revise(state, queue)
}

const subscriptionDeleted = (state: PartitionState, e: LogEventOf<'SubscriptionDeleted'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  dropSubscription(state, sub)
  sub.queue.subs.splice(sub.queue.subs.indexOf(sub), 1)
  revise(state, sub.queue)
}

/** Numbers that were given up with a part of the log may be known outside: they are not used again. */
const repaired = (state: PartitionState, e: LogEventOf<'Repaired'>): void => {
  state.repairedEpoch = state.epoch
  if (e.upTo >= e.from) state.givenUp.push({ from: e.from, upTo: e.upTo })
  state.nextQueue += e.skip
  if (e.hash !== '') state.bridgedSeq = state.frameSeq
  if (e.skip > 0) state.voidDeliveries.push(state.nextDelivery, state.nextDelivery + e.skip)
  state.nextDelivery += e.skip
  state.firstForward += e.skip
  if (state.nextErasure > 1) state.nextErasure += e.skip
  for (const queue of state.queues.values()) {
    queue.nextNumber += e.skip
    queue.skipped += e.skip
    if (queue.nextRedrive > 1) queue.nextRedrive += e.skip
  }
  for (const lane of state.outbox.values()) lane.next += e.skip
  for (const { spread } of state.queues.values()) {
    if (spread === undefined) continue
    spread.version += e.skip
    spread.revision += e.skip
  }
}
