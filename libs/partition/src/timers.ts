import { step, type MachineEvent } from '@kiroku/message'
import { KirokuError, State, retryDelayMs } from '@kiroku/protocol'
import { outcomeBytes, Outcomes } from './Outcomes.ts'
import type { Turn } from './Turn.ts'
import { fireFlows } from './flow/flowTimers.ts'
import { endLanes } from './forward/decideForwarded.ts'
import type { Ownership } from './ownership/Ownership.ts'
import type { Poll } from './receive/Poll.ts'
import { endPoll, wakePoll } from './receive/decideReceive.ts'
import { leave } from './settle/decideSettle.ts'
import { fireHolds, holdEndsAt } from './settle/fireHolds.ts'
import type { QueueState } from './state/QueueState.ts'
import { loadCell } from './store/loadCell.ts'

/** Timers handled in one turn; the rest comes in the next, so that no turn is long. */
const timersPerTurnMax = 5_000
/** Groups whose retention is looked at in one turn, about half a ms. */
const groupsPerTurnMax = 10_000
/** The most that a fact of one timer takes, of a delay beside the filters of its queue. */
const timerBytes = outcomeBytes(0)
const subBytes = 9
/** Retention of untouched messages and idle queues are looked at not more often than this. */
const sweepPauseMs = 250

const leaseExpired: Extract<MachineEvent, { type: 'LEASE_EXPIRED' }> = {
  type: 'LEASE_EXPIRED',
  now: 0,
  dueAt: 0,
  policy: undefined as never,
}
const retryDue: Extract<MachineEvent, { type: 'RETRY_DUE' }> = { type: 'RETRY_DUE', now: 0 }
const expire: MachineEvent = { type: 'EXPIRE' }

/** When the partition must have its next turn without any command; infinity: never. */
export const nextTimerAt = (own: Ownership): number => {
  const { state } = own
  // A receive that could be served was left over from the last turn.
  if (own.dirty.size > 0) return state.at
  const { live } = state
  const slot = live.earliest
  let at = slot < 0 ? Number.POSITIVE_INFINITY : live.deadline[slot]!
  at = Math.min(at, state.delayedRuns.peek()?.dueAt ?? at, own.pollTimers.peek()?.at ?? at, own.sweep.at)
  if (own.flowTimers.size > 0) at = Math.min(at, own.flowTimers.peek()!.at)
  if (state.holds.size > 0) at = Math.min(at, holdEndsAt(state))
  return at
}

/** Sends every message whose time has come its event; returns the polls whose time has come. */
export const fireTimers = <B>(turn: Turn<B>): Poll[] => {
  fireDelays(turn)
  fireLive(turn)
  if (turn.now >= turn.own.sweep.at) sweep(turn)
  fireFlows(turn.own, turn.now)
  fireHolds(turn.own, turn.now)
  return duePolls(turn)
}

const fireDelays = <B>(turn: Turn<B>): void => {
  const { delayedRuns, runs } = turn.state
  for (let i = 0; i < timersPerTurnMax; i++) {
    const top = delayedRuns.peek()
    if (top === undefined || top.dueAt > turn.now) return
    if (turn.timerRoom < timerBytes + top.queue.subs.length * subBytes) return
    const filteredBy = top.queue.filteredBy(top.tag)
    turn.emit({
      type: 'DelayElapsed',
      queue: top.queue.id,
      numbers: [runs.first(top.run), runs.count(top.run)],
      ...(filteredBy === undefined ? undefined : { filteredBy }),
    })
  }
}

/** Sends the messages whose deadline has come their event. */
export const fireLive = <B>(turn: Turn<B>): void => {
  const { state, now, cell } = turn
  const { live } = state
  if (live.earliest < 0 || live.deadline[live.earliest]! > now) return
  const dueMax = Math.min(timersPerTurnMax, Math.floor(turn.timerRoom / timerBytes))
  if (dueMax < 1) return
  const due: number[] = []
  live.eachDue(now, (slot) => due.push(slot) < dueMax)
  due.sort((a, b) => live.owner[a]! - live.owner[b]! || live.number[a]! - live.number[b]!)
  const outcomes = new Outcomes()
  for (const slot of due) {
    const sub = state.subscriptions[live.owner[slot]!]!
    const n = live.number[slot]!
    loadCell(live, slot, cell)
    const was = cell.state
    if (was === State.Inflight) {
      const pause = live.simple[slot] === 1 ? 0 : retryDelayMs(sub.config.retry, cell.attempt, turn.random())
      leaseExpired.now = now
      leaseExpired.dueAt = now + pause
      leaseExpired.policy = sub.policy
      require(step(cell, leaseExpired), was)
      leave(
        outcomes,
        cell.state,
        sub,
        n,
        'LeaseExpired',
        cell.state === State.WaitingRetry ? cell.dueAt : 0,
        'leaseExpired',
        '',
      )
    } else if (was === State.WaitingRetry) {
      retryDue.now = now
      require(step(cell, retryDue), was)
      outcomes.add('RetryDue', sub, n)
    } else {
      require(step(cell, expire), was)
      outcomes.add('Discarded', sub, n, 0, 'retention', '', 'expired')
    }
  }
  outcomes.flush(turn)
}

const require = (accepted: boolean, state: State): void => {
  if (!accepted) throw new KirokuError('Internal', `a timer was refused by the law in state ${state}`)
}

/** Ends what is too old: untouched messages past their retention, and queues that are idle. */
const sweep = <B>(turn: Turn<B>): void => {
  const { state, own, now } = turn
  const { runs } = state
  const { sweep } = own
  sweep.begin()
  let endsLeft = timersPerTurnMax
  let groupsLeft = groupsPerTurnMax
  for (const queue of state.queues.values()) {
    const idleAt = idleEnd(own, queue, now)
    if (idleAt <= now) {
      if (turn.timerRoom < timerBytes) return sweep.interrupt(now)
      turn.emit({ type: 'QueueDeleted', queue: queue.id, by: { name: 'engine', origin: 'idle' } })
      endLanes(turn, queue.id)
      continue
    }
    sweep.expect(idleAt)
    for (const sub of queue.subs) {
      // What is being restored must not lose messages before it is complete.
      if (sub.fill !== undefined) continue
      for (const list of sub.groups?.walk(sweep.pass) ?? [sub]) {
        if (list !== sub && groupsLeft-- === 0) return sweep.interrupt(now)
        for (let run = list.readyHead; run !== 0; run = list.readyHead) {
          const expiresAt = runs.enqueuedAt(run) + queue.config.retentionMs
          if (expiresAt > now) {
            sweep.expect(expiresAt)
            break
          }
          if (endsLeft-- === 0 || turn.timerRoom < timerBytes) return sweep.interrupt(now)
          turn.emit({
            type: 'Discarded',
            queue: queue.id,
            sub: sub.id,
            numbers: [runs.first(run), runs.count(run)],
            reason: 'expired',
            cause: 'retention',
            error: '',
          })
        }
      }
    }
  }
  sweep.finish(now + sweepPauseMs)
}

/** When a queue will have been idle for too long; a waiting receive keeps it from being idle. */
const idleEnd = (own: Ownership, queue: QueueState, now: number): number => {
  const { idleMs } = queue.config
  if (idleMs === 0) return Number.POSITIVE_INFINITY
  if (queue.subs.some((sub) => own.of(sub).isAwaited)) own.received(queue, now)
  return own.receivedAt(queue) + idleMs
}

const duePolls = <B>(turn: Turn<B>): Poll[] => {
  const { pollTimers, dirty } = turn.own
  const due: Poll[] = []
  for (let top = pollTimers.peek(); top !== undefined && top.at <= turn.now; top = pollTimers.peek()) {
    pollTimers.pop()
    if (top.poll.done || top.at !== top.poll.wakeAt) continue
    dirty.add(top.poll.subscription)
    due.push(top.poll)
  }
  return due
}

/** Answers the receives that waited long enough and got nothing; the others are looked at again. */
export const answerEmpty = <B>(turn: Turn<B>, due: readonly Poll[]): void => {
  const { own, now } = turn
  for (const poll of due) {
    // One whose batch is open waits for that, even beyond its wait for a first message.
    if (poll.done || (poll.waitUntil <= now && poll.wakeAt > now)) continue
    if (poll.waitUntil > now) {
      if (poll.wakeAt <= now) wakePoll(own, poll, poll.waitUntil)
    } else if (own.dirty.has(poll.subscription)) wakePoll(own, poll, now)
    else {
      endPoll(own, poll)
      turn.ok(poll.token, {})
    }
  }
}
