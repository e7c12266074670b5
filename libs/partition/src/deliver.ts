import { State, step, type MachineEvent, type Ranges } from '@kiroku/message'
import { loadCell, untouchedCell } from './cell.ts'
import { endPoll, wakePoll } from './decide/receive.ts'
import { leave } from './decide/settle.ts'
import { deliveriesOf, wakeFlow } from './flow.ts'
import { Outcomes } from './Outcomes.ts'
import type { Poll } from './state/Poll.ts'
import type { Subscription } from './state/Subscription.ts'
import { pushNumber, type PlannedDelivery, type Turn } from './Turn.ts'

const deliverEvent: Extract<MachineEvent, { type: 'DELIVER' }> = {
  type: 'DELIVER',
  delivery: 0,
  leaseUntil: 0,
  leaseCap: 0,
  policy: undefined as never,
}

/** Messages delivered in one turn; who is not served then is served in the next, so that no frame is too large. */
const deliveredPerTurnMax = 20_000
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
    const poll = polls[seen]!
    if (poll.done) continue
    if (sub.deliverable === 0 || sub.isPaused) break
    if (room === 0) {
      awaited = Math.min(awaited, flow!.portion)
      break
    }
    const closeAt = closesAt(sub, poll, room)
    if (closeAt > now) {
      if (poll.wakeAt !== closeAt) wakePoll(state, poll, closeAt)
      if (flow !== undefined) awaited = Math.min(awaited, poll.max, flow.roomMax)
      polls[kept++] = poll
      continue
    }
    const plan = take(turn, sub, poll, Math.min(poll.max, room))
    if (plan === undefined) break
    const count = plan.attempts.length
    if (flow !== undefined) {
      flow.took(count)
      room = flow.room(now, sub.inflight)
    }
    left -= Math.max(count, deliveredPerReceiveMin)
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
const closesAt = (sub: Subscription, poll: Poll, room: number): number => {
  const { flow, deliverable } = sub
  const count = Math.min(deliverable, room)
  if (poll.batchWaitMs === 0 || count >= poll.max) return 0
  // Of more than there is room for, a share of the bytes counts.
  if ((sub.availableBytes + sub.readyBytes) * count >= poll.bytesMax * deliverable) return 0
  let since = sub.availableSince
  if (flow !== undefined) {
    if (count >= flow.roomMax) return 0
    since = Math.max(since, flow.openSince)
  }
  // Messages may go to others and new ones come, again and again; the wait for a first one bounds that.
  return Math.min(since, poll.waitUntil) + poll.batchWaitMs
}

/** Takes up to `max` messages for one receive: those that came back first, then untouched ones. Nothing when none was left to deliver. */
const take = <B>(turn: Turn<B>, sub: Subscription, poll: Poll, max: number): PlannedDelivery | undefined => {
  const { state, now, cell } = turn
  const { live, runs } = state
  const { queue, config, policy } = sub
  const leaseUntil = now + poll.leaseMs
  const leaseCap = config.leaseCapMs === 0 ? 0 : now + config.leaseCapMs
  const delivery = state.nextDelivery
  const numbers: Ranges = []
  const attempts: number[] = []
  const enqueuedAt: number[] = []
  const seqs: number[] = []
  const indexes: number[] = []
  const outcomes = new Outcomes()
  deliverEvent.delivery = delivery
  deliverEvent.leaseUntil = leaseCap === 0 ? leaseUntil : Math.min(leaseUntil, leaseCap)
  deliverEvent.leaseCap = leaseCap
  deliverEvent.policy = policy
  let bytes = 0
  let count = 0
  for (let slot = sub.head; slot >= 0 && count < max; slot = live.next[slot]!) {
    const n = live.number[slot]!
    if (live.deadline[slot]! <= now) {
      outcomes.add('Discarded', sub, n, 0, 'retention', '', 'expired')
      continue
    }
    if (count > 0 && bytes + live.bytes[slot]! > poll.bytesMax) break
    step(loadCell(live, slot, cell), deliverEvent)
    if (cell.state !== State.Inflight) {
      leave(outcomes, cell.state, sub, n, 'LeaseExpired', 0, 'nextReceive', '')
      continue
    }
    bytes += live.bytes[slot]!
    count++
    pushNumber(numbers, n)
    attempts.push(cell.attempt)
    enqueuedAt.push(live.enqueuedAt[slot]!)
    seqs.push(live.seq[slot]!)
    indexes.push(live.index[slot]!)
  }
  let run = sub.readyHead
  while (run !== 0 && count < max) {
    const at = runs.enqueuedAt(run)
    const inRun = runs.count(run)
    const first = runs.first(run)
    if (at + config.retentionMs <= now) {
      // Discards are recorded ahead of the delivery, so only runs ahead of everything taken may go.
      if (count > 0) break
      for (let i = 0; i < inRun; i++) outcomes.add('Discarded', sub, first + i, 0, 'retention', '', 'expired')
      run = runs.next(run)
      continue
    }
    const each = runs.bytes(run) / inRun
    const seq = runs.seq(run)
    const index = runs.index(run)
    let i = 0
    for (; i < inRun && count < max; i++) {
      if (count > 0 && bytes + each > poll.bytesMax) break
      step(untouchedCell(cell), deliverEvent)
      bytes += each
      count++
      pushNumber(numbers, first + i)
      attempts.push(cell.attempt)
      enqueuedAt.push(at)
      seqs.push(seq)
      indexes.push(index + i)
    }
    if (i < inRun) break
    run = runs.next(run)
  }
  outcomes.flush(turn)
  if (count === 0) return undefined
  turn.emit({
    type: 'Delivered',
    queue: queue.id,
    sub: sub.id,
    delivery,
    leaseUntil: deliverEvent.leaseUntil,
    leaseCap,
    attemptsMax: policy.attemptsMax,
    mode: poll.mode,
    numbers,
    consumer: poll.consumer,
  })
  return {
    queue: queue.id,
    sub: sub.id,
    delivery,
    now,
    leaseUntil: deliverEvent.leaseUntil,
    numbers,
    attempts,
    enqueuedAt,
    seqs,
    indexes,
  }
}
