import {
  type CommandOf,
  groupRule,
  inTime,
  isGroup,
  KirokuError,
  limits,
  mainSubscription,
} from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { namedSubscription } from '../lookup.ts'
import type { Ownership } from '../ownership/Ownership.ts'
import { repeatReceive } from '../repeats/repeatReceive.ts'
import { newsFor } from '../spread/Spread.ts'
import type { Subscription } from '../state/QueueState.ts'
import type { Poll } from './Poll.ts'

/** Parks a receive; it is served or answered empty when the turn ends, or later. */
export const decideReceive = <B>(turn: Turn<B>, command: CommandOf<'Receive'>, token: number): void => {
  const { own } = turn
  const sub = namedSubscription(turn, command.queue, command.subscription ?? mainSubscription, token)
  if (sub === undefined) return
  const refusal = refuseReceive(sub, command)
  if (refusal !== undefined) return turn.refuse(token, refusal)
  own.received(sub.queue, turn.now)
  own.times.consumers.heard(sub, command.consumer, turn.now)
  const { attempt = '' } = command
  const leaseMs = command.leaseMs ?? sub.config.leaseMs
  const again = attempt === '' ? undefined : repeatReceive(turn, sub, attempt, leaseMs)
  if (again !== undefined) {
    turn.answers.push({ token, delivery: again })
    return
  }
  const { spread: knows = 0 } = command
  const { spread, place } = sub.queue
  const news = place === undefined ? newsFor(spread, knows) : undefined
  if (news !== undefined) return turn.ok(token, { spread: news })
  if (command.heldOnly === true) return turn.ok(token, {})
  // A receive asked for again takes the place of the one that waits.
  const receives = own.of(sub)
  takeBack(turn, own.polls.get(command.poll))
  if (attempt !== '') takeBack(turn, receives.byAttempt.get(attempt))
  // Where as many wait as may, one takes what is there.
  const waits = own.polls.size < limits.pollsMax
  if (!waits && sub.deliverable === 0)
    return turn.refuse(
      token,
      new KirokuError('Busy', `${limits.pollsMax} receives wait already`, { retryAfterMs: 1_000 }),
    )
  const waitUntil = waits ? turn.now + (command.waitMs ?? sub.config.receiveWaitMs) : turn.now
  const poll: Poll = {
    token,
    id: command.poll,
    attempt,
    group: command.group,
    subscription: sub,
    max: command.max,
    bytesMax: command.bytesMax ?? sub.config.batchBytes,
    batchMessages: command.batchMessages ?? command.max,
    batchWaitMs: waits ? (command.batchWaitMs ?? 0) : 0,
    askedAt: turn.now,
    leaseMs,
    mode: command.mode,
    consumer: command.consumer,
    knows,
    waitUntil,
    wakeAt: waitUntil,
    done: false,
  }
  const { polls } = receives
  if (poll.group === undefined) polls.push(poll)
  else receives.groupPolls.add(poll.group, poll)
  own.polls.set(poll.id, poll)
  if (attempt !== '') receives.byAttempt.set(attempt, poll)
  if (polls.length > 2 * own.polls.size + 1_000) receives.polls = polls.filter((p) => !p.done)
  wakePoll(own, poll, waitUntil)
  own.dirty.add(sub)
}

/** Answers a receive that waits with nothing, since another one took its place. */
const takeBack = <B>(turn: Turn<B>, poll: Poll | undefined): void => {
  if (poll === undefined || poll.done) return
  endPoll(turn.own, poll)
  turn.ok(poll.token, {})
}

/** Makes the partition look at the poll at `at`. */
export const wakePoll = ({ polls, pollTimers: timers }: Ownership, poll: Poll, at: number): void => {
  poll.wakeAt = at
  timers.push({ poll, at })
  // Stale entries stay until their time comes; when they are the most, they go at once.
  if (timers.size > 2 * polls.size + 1_000) timers.filter((t) => !t.poll.done && t.at === t.poll.wakeAt)
}

/** Ends a poll; its place in the subscription's list is given up when that is next gone through. */
export const endPoll = (own: Ownership, poll: Poll): void => {
  poll.done = true
  if (own.polls.get(poll.id) === poll) own.polls.delete(poll.id)
  const { attempt, group, subscription } = poll
  if (group === undefined && attempt === '') return
  const { groupPolls, byAttempt } = own.of(subscription)
  if (group !== undefined) groupPolls.delete(group, poll)
  if (attempt !== '' && byAttempt.get(attempt) === poll) byAttempt.delete(attempt)
}

const refuseReceive = (
  { queue, config, groups }: Subscription,
  c: CommandOf<'Receive'>,
): KirokuError | undefined => {
  const check = (
    name: string,
    value: number | undefined,
    min: number,
    max: number,
  ): KirokuError | undefined =>
    value === undefined || (Number.isInteger(value) && value >= min && value <= max)
      ? undefined
      : new KirokuError(
          'InvalidArgument',
          name.endsWith('Ms')
            ? `${name} must be from ${inTime(min)} to ${inTime(max)} in whole ms, not ${inTime(value)}`
            : `${name} must be a whole number from ${min} to ${max}, not ${value}`,
        )
  return (
    check('max', c.max, 1, limits.messagesPerReceiveMax) ??
    check('batchMessages', c.batchMessages, 1, limits.messagesPerReceiveMax) ??
    check('waitMs', c.waitMs, 0, limits.receiveWaitMsMax) ??
    check('batchWaitMs', c.batchWaitMs, 0, limits.batchWaitMsMax) ??
    check('leaseMs', c.leaseMs, limits.leaseMsMin, limits.leaseMsMax) ??
    check('bytesMax', c.bytesMax, 1, Number.MAX_SAFE_INTEGER) ??
    refuseAttempt(c.attempt) ??
    refuseConsumer(c.consumer) ??
    refuseGroup(queue.name, groups !== undefined, c) ??
    (c.leaseMs !== undefined && c.leaseMs < config.leaseMinMs
      ? new KirokuError(
          'LeaseTooShort',
          `a lease of ${c.leaseMs} ms is shorter than the ${config.leaseMinMs} ms that queue "${queue.name}" asks for`,
        )
      : undefined)
  )
}

const refuseAttempt = (attempt: string | undefined): KirokuError | undefined =>
  attempt === undefined || (typeof attempt === 'string' && attempt.length <= limits.attemptCharactersMax)
    ? undefined
    : new KirokuError('InvalidArgument', `an attempt id has up to ${limits.attemptCharactersMax} characters`)

const refuseConsumer = (consumer: string): KirokuError | undefined =>
  consumer.length <= limits.consumerCharactersMax
    ? undefined
    : new KirokuError(
        'InvalidArgument',
        `the name of a consumer has up to ${limits.consumerCharactersMax} characters`,
      )

const refuseGroup = (
  queue: string,
  hasGroups: boolean,
  { group, batchWaitMs = 0 }: CommandOf<'Receive'>,
): KirokuError | undefined => {
  if (group === undefined) return undefined
  if (!isGroup(group)) return new KirokuError('InvalidArgument', groupRule)
  if (!hasGroups)
    return new KirokuError('InvalidArgument', `queue "${queue}" has no groups to receive one of`)
  return batchWaitMs > 0
    ? new KirokuError('InvalidArgument', 'a receive of one group waits for no fuller batch')
    : undefined
}

/** Takes a waiting receive back. */
export const decideCancelReceive = <B>(
  turn: Turn<B>,
  command: CommandOf<'CancelReceive'>,
  token: number,
): void => {
  const poll = turn.own.polls.get(command.poll)
  takeBack(turn, poll)
  turn.ok(token, { cancelled: poll !== undefined })
}
