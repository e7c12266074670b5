import { type MachineEvent, type Policy, resetCell } from '@kiroku/message'
import { type QueueState } from '@kiroku/partition'
import { eachNumber, type LogEventOf, retryDelayMs, State } from '@kiroku/protocol'
import { nameOf, refuse, type LawScope } from './LawScope.ts'
import { checkFilter } from './checkArrivals.ts'
import { entersLane } from './checkLanes.ts'
import { machineEvents } from './machineEvents.ts'

const { ack, deadLetter, deliver, discard, elapse, expire, extend, leaseExpired } = machineEvents
const { recall, release, reschedule, retry, retryDue, rollback } = machineEvents

export const checkDelivered = (law: LawScope, e: LogEventOf<'Delivered'>): void => {
  const { state } = law
  const sub = law.sub(e)
  const { config, policy } = sub
  if (sub.isPausedAt(state.at)) refuse(`queue ${e.queue} delivers although it is paused`)
  if (e.delivery < state.nextDelivery) refuse(`delivery ${e.delivery} was given out before`)
  if (e.attemptsMax !== policy.attemptsMax)
    refuse(`a delivery allows ${e.attemptsMax} attempts, but the limit in force is ${policy.attemptsMax}`)
  const cap = config.leaseCapMs === 0 ? 0 : state.at + config.leaseCapMs
  if (e.leaseUntil < state.at || e.leaseCap !== cap || (cap !== 0 && e.leaseUntil > cap))
    refuse(`a lease from ${state.at} to ${e.leaseUntil} with cap ${e.leaseCap} is not allowed`)
  const before = e.attempt === undefined ? undefined : state.attempts.find(sub, e.attempt, state.at)
  if (before !== undefined && state.attempts.isHeld(before, state.live))
    refuse(`receive ${e.attempt} gets another batch, while delivery ${before.delivery} holds its own`)
  deliver.delivery = e.delivery
  deliver.leaseUntil = e.leaseUntil
  deliver.leaseCap = e.leaseCap
  deliver.policy = policy
  law.each(e, deliver, State.Inflight, 'inOrder')
}

export const checkLeaseExtended = (law: LawScope, e: LogEventOf<'LeaseExtended'>): void => {
  const { attempts, at } = law.state
  if (e.attempt !== undefined && attempts.find(law.sub(e), e.attempt, at) === undefined)
    refuse(`receive ${e.attempt} is repeated, but got nothing lately`)
  extend.now = at
  extend.leaseUntil = e.leaseUntil
  law.each(e, extend, State.Inflight)
}

export const checkDelayElapsed = (law: LawScope, e: LogEventOf<'DelayElapsed'>): void => {
  const { state } = law
  const queue = law.queue(e.queue)
  const [first = 0, count = 0] = e.numbers
  const isIt = (d: { readonly queue: QueueState; readonly run: number }): boolean =>
    d.queue === queue && state.runs.first(d.run) === first
  const top = state.delayedRuns.peek()
  const delayed = top !== undefined && isIt(top) ? top : state.delayedRuns.items.find(isIt)
  if (delayed === undefined || e.numbers.length !== 2 || state.runs.count(delayed.run) !== count)
    return refuse(`messages ${first} to ${first + count - 1} of queue ${e.queue} do not wait together`)
  const cell = resetCell(law.cell)
  cell.state = State.Delayed
  cell.dueAt = delayed.dueAt
  elapse.now = state.at
  if (!law.machine.step(cell, elapse))
    refuse(`the delay of message ${first} of queue ${e.queue} ends at ${delayed.dueAt}, which is later`)
  checkFilter(law, queue, delayed.tag, undefined, e.filteredBy)
  law.restores.elapsed(queue, first, count)
  law.transitions += count
}

const checkRevised = (
  law: LawScope,
  e: LogEventOf<'Recalled' | 'Rescheduled'>,
  event: MachineEvent,
  outcome: State,
): void => {
  const cell = resetCell(law.cell)
  if (law.state.findDelayed(law.queue(e.queue), e.number) === undefined)
    refuse(`${nameOf(e, e.number)} is not delayed`)
  cell.state = State.Delayed
  if (!law.machine.step(cell, event) || cell.state !== outcome)
    refuse(`${nameOf(e, e.number)} does not accept ${event.type}`)
  law.transitions++
}

/** The machine's event at the time of the frame, due at `dueAt`; 0: at once. */
const timed = <E extends { now: number; dueAt: number }>(law: LawScope, event: E, dueAt: number): E => {
  event.now = law.state.at
  event.dueAt = dueAt === 0 ? law.state.at : dueAt
  return event
}

/** The same for an event whose outcome depends on the subscription's policy. */
const policed = <E extends { now: number; dueAt: number; policy: Policy }>(
  law: LawScope,
  e: { readonly queue: number; readonly sub: number },
  event: E,
  dueAt: number,
): E => {
  event.policy = law.sub(e).policy
  return timed(law, event, dueAt)
}

export const checkLeaseExpired = (law: LawScope, e: LogEventOf<'LeaseExpired'>): void => {
  const { state } = law
  const sub = law.sub(e)
  law.each(e, policed(law, e, leaseExpired, e.dueAt), paused(e.dueAt))
  const pauseMs = e.dueAt === 0 ? 0 : e.dueAt - state.at
  const policy = sub.config.retry
  eachNumber(e.numbers, (n) => {
    const slot = state.live.find(sub.index, n)
    const simple = state.live.simple[slot] === 1
    const attempt = state.live.attempt[slot]!
    const longest = simple ? 0 : retryDelayMs(policy, attempt, 0)
    const shortest = simple ? 0 : retryDelayMs(policy, attempt, 1)
    if (pauseMs < shortest || pauseMs > longest)
      refuse(`message ${n} of queue ${e.queue} pauses ${pauseMs} ms, not ${shortest} to ${longest}`)
  })
}

export const checkDeadLettered = (law: LawScope, e: LogEventOf<'DeadLettered'>): void => {
  const configured = law.sub(e).config.deadLetter
  if (configured?.partition !== e.target.partition || configured.queue !== e.target.queue)
    refuse(
      `queue ${e.queue} gives dead letters to ${e.target.partition}/${e.target.queue}, which is not its own`,
    )
  law.each(e, failureOf(law, e), State.DLQ)
  entersLane(law, e)
}

export const checkDiscarded = (law: LawScope, e: LogEventOf<'Discarded'>): void => {
  if (e.cause === 'retention') checkRetention(law, e)
  law.each(e, failureOf(law, e), State.Discarded, e.cause === 'operator' ? 'anywhere' : 'inOrder')
  if (law.cell.reason !== e.reason)
    refuse(`the reason is "${e.reason}", but by the law it is "${law.cell.reason}"`)
}

/** The machine event behind a final fact. */
const failureOf = (law: LawScope, e: LogEventOf<'DeadLettered' | 'Discarded'>): MachineEvent => {
  const { policy } = law.sub(e)
  switch (e.cause) {
    case 'retry':
      return policed(law, e, retry, 0)
    case 'leaseExpired':
      return policed(law, e, leaseExpired, 0)
    case 'nextReceive':
      deliver.policy = policy
      return deliver
    case 'onPurpose':
      deadLetter.policy = policy
      return deadLetter
    case 'retention':
      return expire
    case 'operator':
      discard.reason = (e as LogEventOf<'Discarded'>).reason as 'operator'
      return discard
    case 'rollback':
      return rollback
  }
}

const checkRetention = (law: LawScope, e: LogEventOf<'Discarded'>): void => {
  const { state } = law
  const sub = law.sub(e)
  const { retentionMs } = sub.config
  eachNumber(e.numbers, (n) => {
    const slot = state.live.find(sub.index, n)
    const enqueuedAt = slot >= 0 ? state.live.enqueuedAt[slot]! : state.runs.enqueuedAt(law.runOf(sub, n))
    if (enqueuedAt + retentionMs > state.at)
      refuse(`message ${n} of queue ${e.queue} is kept until ${enqueuedAt + retentionMs}, which is later`)
  })
}

export const checkRecalled = (law: LawScope, e: LogEventOf<'Recalled'>): void =>
  checkRevised(law, e, recall, State.Discarded)

export const checkRescheduled = (law: LawScope, e: LogEventOf<'Rescheduled'>): void => {
  reschedule.now = law.state.at
  reschedule.dueAt = e.dueAt
  if (e.dueAt < law.state.at) refuse(`${nameOf(e, e.number)} is due at ${e.dueAt}, which has passed`)
  checkRevised(law, e, reschedule, State.Delayed)
}

export const checkReleased = (law: LawScope, e: LogEventOf<'Released' | 'Deferred'>): void => {
  const dueAt = e.type === 'Released' ? 0 : e.dueAt
  law.each(e, timed(law, release, dueAt), paused(dueAt))
}

export const checkAcked = (law: LawScope, e: LogEventOf<'Acked'>): void => {
  ack.policy = law.sub(e).policy
  law.each(e, ack, State.Committed)
}

export const checkRetryScheduled = (law: LawScope, e: LogEventOf<'RetryScheduled'>): void =>
  law.each(e, policed(law, e, retry, e.dueAt), paused(e.dueAt))

export const checkRetryDue = (law: LawScope, e: LogEventOf<'RetryDue'>): void => {
  retryDue.now = law.state.at
  law.each(e, retryDue, State.Available)
}

const paused = (dueAt: number): State => (dueAt === 0 ? State.Available : State.WaitingRetry)
