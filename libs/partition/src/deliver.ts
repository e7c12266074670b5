import { endPoll, wakePoll } from './decide/receive.ts'
import { deliveriesOf, wakeFlow } from './flow.ts'
import type { LiveSlab } from './state/LiveSlab.ts'
import type { Poll } from './state/Poll.ts'
import type { Subscription } from './state/Subscription.ts'
import { takeGroups } from './takeGroups.ts'
import { Taking } from './Taking.ts'
import type { PlannedDelivery, Turn } from './Turn.ts'

/** Messages delivered in one turn; who is not served then is served in the next, so that no frame is too large. */
const deliveredPerTurnMax = 20_000
/** Room in the record that a receive needs: for its fact, and for a message that it finds to be over. */
const receiveBytes = 8 * 1024
/** What a receive counts at least. */
const deliveredPerReceiveMin = 20

/** Serves the waiting receives of every subscription where something changed. */
export const deliver = <B>(turn: Turn<B>): void => {
  const { dirty } = turn.state
  let left = deliveredPerTurnMax
  for (const sub of dirty) {
    if (left <= 0) return
    dirty.delete(sub)
    left = serve(turn, sub, left)
    if (left <= 0) dirty.add(sub)
  }
}

/** Serves the receives in their order; one that waits for a fuller batch lets those behind it go first. Returns what is left of `messages`. */
const serve = <B>(turn: Turn<B>, sub: Subscription, messages: number): number => {
  const { state, now } = turn
  const { polls, flow } = sub
  let left = messages
  let seen = 0
  let kept = 0
  let room = Number.POSITIVE_INFINITY
  /** What a receive waits for the rate to allow. */
  let awaited = Number.POSITIVE_INFINITY
  if (flow !== undefined) {
    if (flow.isUncounted) flow.count(deliveriesOf(state, sub))
    room = flow.room(now, sub.inflight)
  }
  for (; seen < polls.length && left > 0; seen++) {
    if (turn.room < receiveBytes) {
      left = 0
      break
    }
    const poll = polls[seen]!
    if (poll.done) continue
    if (sub.isPaused || servable(sub, state.live, 1) === 0) break
    if (room === 0) {
      awaited = Math.min(awaited, flow!.portion)
      break
    }
    const closeAt = closesAt(sub, poll, state.live, room)
    if (closeAt > now) {
      if (poll.wakeAt !== closeAt) wakePoll(state, poll, closeAt)
      if (flow !== undefined) awaited = Math.min(awaited, poll.max, flow.roomMax)
      polls[kept++] = poll
      continue
    }
    const openedAt = Math.max(poll.askedAt, sub.availableSince, flow?.openSince ?? 0)
    const plan = take(turn, sub, poll, Math.min(poll.max, room))
    if (plan === 'recordFull') {
      left = 0
      break
    }
    if (plan === undefined) break
    const count = plan.attempts.length
    if (flow !== undefined) {
      flow.took(count)
      room = flow.room(now, sub.inflight)
    }
    left -= Math.max(count, deliveredPerReceiveMin)
    state.times?.deliveries.batched(
      sub,
      { enqueuedAt: plan.enqueuedAt, messagesMax: poll.max, waitMsMax: poll.batchWaitMs, openedAt },
      now,
    )
    endPoll(state, poll)
    turn.answers.push({ token: poll.token, delivery: plan })
    // What is left came later than what is gone; of messages that came back only the first time is known.
    if (sub.available === 0 && sub.readyHead !== 0)
      sub.availableSince = Math.max(sub.availableSince, state.runs.dueAt(sub.readyHead))
  }
  if (kept === 0 && seen === 1) polls.shift()
  else if (kept < seen) polls.splice(kept, seen - kept)
  if (flow !== undefined && awaited < Number.POSITIVE_INFINITY) wakeFlow(turn, sub, flow, awaited)
  return left
}

/** When the receive's batch closes, whatever is in it then; 0 when it is full, or would get no fuller. */
const closesAt = (sub: Subscription, poll: Poll, live: LiveSlab, room: number): number => {
  if (poll.batchWaitMs === 0) return 0
  const { flow } = sub
  const count = Math.min(servable(sub, live, poll.max), room)
  if (count >= poll.max) return 0
  // Of more than there is room for, a share of the bytes counts.
  if ((sub.availableBytes + sub.readyBytes) * count >= poll.bytesMax * sub.deliverable) return 0
  let since = sub.availableSince
  if (flow !== undefined) {
    if (count >= flow.roomMax) return 0
    since = Math.max(since, flow.openSince)
  }
  // Messages may go to others and new ones come, again and again; the wait for a first one bounds that.
  return Math.min(since, poll.waitUntil) + poll.batchWaitMs
}

/** Messages that one receive could get now, counted up to `enough`. */
const servable = (sub: Subscription, live: LiveSlab, enough: number): number => {
  const { groups } = sub
  if (groups === undefined) return sub.deliverable
  return groups.countServable(live, enough)
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
  if (sub.groups !== undefined) takeGroups(turn.state, sub, taking)
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
