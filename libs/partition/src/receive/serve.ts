import type { PlannedDelivery, Turn } from '../Turn.ts'
import { deliveriesOf } from '../flow/deliveriesOf.ts'
import { wakeFlow } from '../flow/flowTimers.ts'
import { takeGroup, takeGroups } from '../groups/takeGroups.ts'
import type { Subscription } from '../state/QueueState.ts'
import { Taking } from './DeliveryBuilder.ts'
import type { Poll } from './Poll.ts'
import { endPoll, wakePoll } from './decideReceive.ts'

/**
 * Messages delivered in one turn, about; who is not served then is served in the next, so that no frame is too large, and
 * no turn holds the thread for long.
 */
const deliveredPerTurnMax = 2_000
/** Room in the record that a receive needs: for its fact, and for a message that it finds to be over. */
const receiveBytes = 8 * 1024
/** What a receive counts at least. */
const deliveredPerReceiveMin = 2

/** Serves the waiting receives of every subscription where something changed. */
export const deliver = <B>(turn: Turn<B>): void => {
  const { dirty } = turn.own
  let left = deliveredPerTurnMax
  for (const sub of dirty) {
    if (left <= 0) return
    dirty.delete(sub)
    left = serve(turn, sub, left)
    if (left <= 0) dirty.add(sub)
  }
}

/** How far the receives of one subscription are served. */
interface Serving {
  /** What is left of the messages of the turn. */
  left: number
  /** Messages that limits allow. */
  room: number
  /** What a receive waits for the rate to allow. */
  awaited: number
}

/** Serves the receives that wait. Returns what is left of `messages`. */
const serve = <B>(turn: Turn<B>, sub: Subscription, messages: number): number => {
  const { flow, groupPolls } = turn.own.of(sub)
  const serving: Serving = {
    left: messages,
    room: Number.POSITIVE_INFINITY,
    awaited: Number.POSITIVE_INFINITY,
  }
  if (flow !== undefined) {
    if (flow.isUncounted) flow.count(deliveriesOf(turn.state, sub))
    serving.room = flow.room(turn.now, sub.inflight)
  }
  if (!groupPolls.isEmpty && !sub.isPausedAt(turn.now)) serveGroups(turn, sub, serving)
  serveAll(turn, sub, serving)
  if (flow !== undefined && serving.awaited < Number.POSITIVE_INFINITY)
    wakeFlow(turn, sub, flow, serving.awaited)
  return serving.left
}

/** Serves the receives of one group each, whatever others there are. */
const serveGroups = <B>(turn: Turn<B>, sub: Subscription, serving: Serving): void => {
  const { groupPolls } = turn.own.of(sub)
  const groups = sub.groups!
  for (const key of groupPolls.woken)
    for (;;) {
      const poll = groupPolls.first(key)
      const group = groups.find(key)
      if (poll === undefined || group === undefined || !groups.isServable(group, turn.state.live)) {
        groupPolls.letSleep(key)
        break
      }
      if (serving.left <= 0 || !hasRoom(turn, sub, serving)) return
      // Where nothing is handed over something was found to be over, so that this comes to an end.
      if (hand(turn, sub, poll, serving) === 'recordFull') return
    }
}

/** Serves the other receives in their order; one that waits for a fuller batch lets those behind it go first. */
const serveAll = <B>(turn: Turn<B>, sub: Subscription, serving: Serving): void => {
  const { state, now, own } = turn
  const receives = own.of(sub)
  const { polls, flow } = receives
  let seen = 0
  let kept = 0
  for (; seen < polls.length && serving.left > 0; seen++) {
    const poll = polls[seen]!
    if (poll.done) continue
    if (sub.isPausedAt(now) || servable(turn, sub, 1) === 0 || !hasRoom(turn, sub, serving)) break
    const closeAt = closesAt(turn, poll, serving.room)
    if (closeAt > now) {
      if (poll.wakeAt !== closeAt) wakePoll(own, poll, closeAt)
      if (flow !== undefined) serving.awaited = Math.min(serving.awaited, poll.max, flow.roomMax)
      polls[kept++] = poll
      continue
    }
    if (hand(turn, sub, poll, serving) !== 'handed') break
    // What is left came later than what is gone; of messages that came back only the first time is known.
    if (sub.available === 0 && sub.readyHead !== 0)
      receives.availableSince = Math.max(receives.availableSince, state.runs.dueAt(sub.readyHead))
  }
  if (kept === 0 && seen === 1) polls.shift()
  else if (kept < seen) polls.splice(kept, seen - kept)
}

/** Whether one more receive can be served: by the room in the record, and by what limits allow. */
const hasRoom = <B>(turn: Turn<B>, sub: Subscription, serving: Serving): boolean => {
  if (turn.room < receiveBytes) serving.left = 0
  else if (serving.room > 0) return true
  else serving.awaited = Math.min(serving.awaited, turn.own.of(sub).flow!.portion)
  return false
}

/** Hands messages over to one receive. */
const hand = <B>(
  turn: Turn<B>,
  sub: Subscription,
  poll: Poll,
  serving: Serving,
): 'handed' | 'nothing' | 'recordFull' => {
  const { flow, availableSince } = turn.own.of(sub)
  const { now } = turn
  // Messages of one group wait for no fuller batch.
  const openedAt =
    poll.group === undefined ? Math.max(poll.askedAt, availableSince, flow?.openSince ?? 0) : now
  const plan = take(turn, sub, poll, Math.min(poll.max, serving.room))
  if (plan === 'recordFull') serving.left = 0
  if (plan === undefined || plan === 'recordFull') return plan ?? 'nothing'
  const count = plan.attempts.length
  if (flow !== undefined) {
    flow.took(count)
    serving.room = flow.room(now, sub.inflight)
  }
  serving.left -= Math.max(count, deliveredPerReceiveMin)
  turn.own.times.deliveries.batched(
    sub,
    { enqueuedAt: plan.enqueuedAt, messagesMax: poll.batchMessages, waitMsMax: poll.batchWaitMs, openedAt },
    now,
  )
  endPoll(turn.own, poll)
  turn.answers.push({ token: poll.token, delivery: plan })
  return 'handed'
}

/** When the receive's batch closes, whatever is in it then; 0 when it is full, or would get no fuller. */
const closesAt = <B>(turn: Turn<B>, poll: Poll, room: number): number => {
  if (poll.batchWaitMs === 0) return 0
  const sub = poll.subscription
  const { flow, availableSince } = turn.own.of(sub)
  const count = Math.min(servable(turn, sub, poll.max), room)
  if (count >= poll.max) return 0
  // Of more than there is room for, a share of the bytes counts.
  if ((sub.availableBytes + sub.readyBytes) * count >= poll.bytesMax * sub.deliverable) return 0
  let since = availableSince
  if (flow !== undefined) {
    if (count >= flow.roomMax) return 0
    since = Math.max(since, flow.openSince)
  }
  // Messages may go to others and new ones come, again and again; the wait for a first one bounds that.
  return Math.min(since, poll.waitUntil) + poll.batchWaitMs
}

/** Messages that one receive could get now, counted up to `enough`. */
const servable = <B>({ own, state }: Turn<B>, sub: Subscription, enough: number): number => {
  const { groups } = sub
  if (own.holdsUntouchedOf(sub)) return sub.available
  if (groups === undefined) return sub.deliverable
  return groups.countServable(state.live, enough)
}

/**
 * Takes up to `max` messages for one receive: those that came back first, then untouched ones. Nothing when none was left to deliver, or what is over filled the record
 * before one was found.
 */
const take = <B>(
  turn: Turn<B>,
  sub: Subscription,
  poll: Poll,
  max: number,
): PlannedDelivery | 'recordFull' | undefined => {
  const { live, runs } = turn.state
  const taking = new Taking(turn, sub, poll, max)
  if (poll.group !== undefined) takeGroup(turn.state, sub.groups!.find(poll.group)!, taking)
  else if (sub.groups !== undefined) takeGroups(turn.state, sub, taking)
  else {
    for (let slot = sub.head; slot >= 0 && taking.live(slot) !== 'full';) slot = live.next[slot]!
    let isFirst = true
    for (let run = sub.readyHead; run !== 0 && !taking.isFull; run = runs.next(run)) {
      const count = runs.count(run)
      const expired = runs.enqueuedAt(run) + sub.config.retentionMs <= turn.now
      if (taking.run(run, 0, count, isFirst) < count) break
      isFirst &&= expired
    }
  }
  return taking.end() ?? (taking.isCutShort ? 'recordFull' : undefined)
}
