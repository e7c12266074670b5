import { step, type MachineEvent } from '@kiroku/message'
import {
  type CommandOf,
  inTime,
  KirokuError,
  limits,
  type Refusal,
  retryDelayMs,
  type SettleItem,
  State,
  textBytes,
} from '@kiroku/protocol'
import { outcomeBytes, Outcomes } from '../Outcomes.ts'
import type { Rest, Turn } from '../Turn.ts'
import type { Settled } from '../ownership/Times.ts'
import type { Subscription } from '../state/QueueState.ts'
import { loadCell } from '../store/loadCell.ts'

/** A command that names messages by their receipts. */
type Settling = CommandOf<'Ack' | 'Retry' | 'Extend' | 'Release' | 'DeadLetter'>

const ack: Extract<MachineEvent, { type: 'ACK' }> = { type: 'ACK', delivery: 0, policy: undefined as never }
const retry: Extract<MachineEvent, { type: 'RETRY' }> = {
  type: 'RETRY',
  now: 0,
  delivery: 0,
  dueAt: 0,
  policy: undefined as never,
}
const extend: Extract<MachineEvent, { type: 'EXTEND' }> = {
  type: 'EXTEND',
  now: 0,
  delivery: 0,
  leaseUntil: 0,
}
const release: Extract<MachineEvent, { type: 'RELEASE' }> = {
  type: 'RELEASE',
  now: 0,
  delivery: 0,
  dueAt: 0,
}
const deadLetter: Extract<MachineEvent, { type: 'DEAD_LETTER' }> = {
  type: 'DEAD_LETTER',
  delivery: 0,
  policy: undefined as never,
}

/** How far a settling command has come: the place of its next message, and its answer so far. */
interface Progress {
  readonly item: number
  /** Index in the item's numbers, and the number itself; 0: the first there. */
  readonly range: number
  readonly number: number
  readonly refused: Refusal[]
  readonly leaseUntil: number
  readonly now: number
}

/**
 * Settles messages; each that the law does not accept is named in the answer. What finds no room in the turn is
 * returned. `undelivered` tells a release that the engine makes.
 */
export const decideSettle = <B>(
  turn: Turn<B>,
  command: Settling,
  token: number,
  undelivered = false,
  begun?: Progress,
): Rest<B> | undefined => {
  const refusal = refuseSettle(turn, command)
  if (refusal !== undefined) return void turn.refuse(token, refusal)
  const outcomes = new Outcomes()
  const leaseUntil = command.type === 'Extend' ? turn.now + command.leaseMs : 0
  const from = begun ?? { item: 0, range: 0, number: 0, refused: [], leaseUntil, now: turn.now }
  const { refused } = from
  const messageBytes = outcomeBytes(textBytes(errorText(command)))
  const holds = command.type === 'Release' && command.holdSubscription === true
  const beginRoom = (): number => turn.commandRoom - messageBytes * (holds ? 2 : 1)
  let room = beginRoom()
  let rest: Progress | undefined
  let behind: Subscription | undefined
  let end = 0
  const flush = (): void => {
    // A stale receipt holds nothing.
    const isHeld = holds && behind !== undefined && outcomes.bytes > 0
    outcomes.flush(turn)
    if (isHeld) hold(turn, behind!, from.now + command.delayMs!, errorText(command))
  }
  for (let i = from.item; i < command.items.length && rest === undefined; i++) {
    const item = command.items[i]!
    const sub = turn.state.subscriptionOf(item.queue, item.sub)
    const settled: Settled = { acked: 0, held: 0, late: 0 }
    for (let r = i === from.item ? from.range : 0; r < item.numbers.length && rest === undefined; r += 2) {
      const first = item.numbers[r]!
      // A message named twice: the first verdict must be in force before the second is heard.
      if (sub !== behind || first < end) {
        flush()
        room = beginRoom()
      }
      behind = sub
      end = first + item.numbers[r + 1]!
      const isBegun = i === from.item && r === from.range && from.number > 0
      for (let n = isBegun ? from.number : first; n < end; n++) {
        if (outcomes.bytes > room) {
          rest = { ...from, item: i, range: r, number: n }
          break
        }
        const error =
          sub === undefined
            ? 'UnknownReceipt'
            : settle(turn, command, item, sub, n, leaseUntil, from.now, outcomes, settled, undelivered)
        if (error !== undefined) refused.push({ item: i, number: n, error })
      }
    }
    if (sub !== undefined) turn.own.times.settled(sub, item.delivery, settled, turn.now)
  }
  flush()
  if (rest !== undefined) return (next) => decideSettle(next, command, token, undelivered, rest)
  // Of an extension in several turns, the leases of the first end first.
  turn.ok(
    token,
    command.type === 'Extend' ? { refused, leaseUntil: from.leaseUntil, now: from.now } : { refused },
  )
  return undefined
}

/** Holds the deliveries of a subscription until then; a hold that ends later stays. */
const hold = <B>(turn: Turn<B>, sub: Subscription, until: number, error: string): void => {
  if (until <= Math.max(turn.now, sub.hold?.until ?? 0)) return
  turn.emit({ type: 'DeliveryHeld', queue: sub.queue.id, sub: sub.id, until, error })
}

/** Refuses the whole command for what no client of ours would send; a receipt that is only out of date is refused by message. */
const refuseSettle = <B>(turn: Turn<B>, c: Settling): KirokuError | undefined => {
  if (
    c.type === 'Extend' &&
    !(Number.isInteger(c.leaseMs) && c.leaseMs >= limits.leaseMsMin && c.leaseMs <= limits.leaseMsMax)
  )
    return new KirokuError(
      'InvalidArgument',
      `leaseMs must be from ${inTime(limits.leaseMsMin)} to ${inTime(limits.leaseMsMax)} in whole ms, not ${inTime(c.leaseMs)}`,
    )
  if (
    (c.type === 'Retry' || c.type === 'Release') &&
    c.delayMs !== undefined &&
    !(Number.isInteger(c.delayMs) && c.delayMs >= 0 && c.delayMs <= limits.delayMsMax)
  )
    return new KirokuError(
      'InvalidArgument',
      `delayMs must be from 0 to ${inTime(limits.delayMsMax)} in whole ms, not ${inTime(c.delayMs)}`,
    )
  if (c.type === 'Release' && c.holdSubscription === true && (c.delayMs ?? 0) === 0)
    return new KirokuError(
      'InvalidArgument',
      'holdSubscription needs a delayMs: how long deliveries stand still',
    )
  for (const { queue, sub, delivery, numbers } of c.items) {
    for (let r = 0; r < numbers.length; r += 2) {
      const first = numbers[r]!
      const count = numbers[r + 1]!
      if (!(Number.isSafeInteger(first) && Number.isInteger(count) && count >= 1 && first + count > first))
        return new KirokuError('InvalidReceipt', `"${first}, ${count}" does not name messages`)
      if (count > limits.messagesPerReceiveMax)
        return new KirokuError(
          'InvalidReceipt',
          `a delivery has up to ${limits.messagesPerReceiveMax} messages, not ${count}`,
        )
    }
    if (!Number.isSafeInteger(delivery))
      return new KirokuError('InvalidReceipt', `"${delivery}" is not a delivery`)
    if (c.type !== 'DeadLetter') continue
    const named = turn.state.subscriptionOf(queue, sub)
    if (named !== undefined && named.config.deadLetter === null)
      return new KirokuError('InvalidArgument', `queue "${named.queue.name}" has no dead-letter queue`)
  }
  return undefined
}

const settle = <B>(
  turn: Turn<B>,
  command: Settling,
  item: SettleItem,
  sub: Subscription,
  n: number,
  leaseUntil: number,
  begunAt: number,
  outcomes: Outcomes,
  settled: Settled,
  undelivered: boolean,
): Refusal['error'] | undefined => {
  const { live, nextDelivery } = turn.state
  const { policy } = sub
  if (turn.state.isVoid(item.delivery)) return 'UnknownReceipt'
  const slot = live.find(sub.index, n)
  if (slot < 0) {
    // Once delivered and no longer live is final: saying so again is no error for an ack.
    const known =
      sub.fill === undefined &&
      n >= sub.from &&
      n < sub.queue.nextNumber &&
      item.delivery > 0 &&
      item.delivery < nextDelivery
    return command.type === 'Ack' && known ? undefined : 'UnknownReceipt'
  }
  if (item.delivery <= 0 || item.delivery > live.delivery[slot]!) return 'UnknownReceipt'
  const cell = loadCell(live, slot, turn.cell)
  const held = cell.state === State.Inflight && cell.delivery === item.delivery
  if (command.type !== 'Extend' && command.type !== 'Release') settled[held ? 'held' : 'late']++
  switch (command.type) {
    case 'Ack':
      ack.delivery = item.delivery
      ack.policy = policy
      if (!step(cell, ack)) return 'ReceiptExpired'
      settled.acked++
      outcomes.add('Acked', sub, n)
      return undefined
    case 'Retry': {
      const pause = command.delayMs ?? retryDelayMs(sub.config.retry, cell.attempt, turn.random())
      retry.now = turn.now
      retry.delivery = item.delivery
      retry.dueAt = turn.now + pause
      retry.policy = policy
      if (!step(cell, retry)) return 'ReceiptExpired'
      leave(
        outcomes,
        cell.state,
        sub,
        n,
        'RetryScheduled',
        cell.state === State.WaitingRetry ? cell.dueAt : 0,
        'retry',
        errorText(command),
      )
      return undefined
    }
    case 'Extend':
      if (command.leaseMs < sub.queue.config.leaseMinMs) return 'LeaseTooShort'
      extend.now = turn.now
      extend.delivery = item.delivery
      extend.leaseUntil = leaseUntil
      if (!step(cell, extend)) {
        return held ? 'LeaseCapReached' : 'ReceiptExpired'
      }
      outcomes.add('LeaseExtended', sub, n, leaseUntil)
      return undefined
    case 'Release':
      release.now = turn.now
      release.delivery = item.delivery
      release.dueAt = begunAt + (command.delayMs ?? 0)
      if (!step(cell, release)) return 'ReceiptExpired'
      if (command.delayMs === undefined && command.error === undefined)
        outcomes.add('Released', sub, n, 0, undelivered ? 'undelivered' : 'client')
      else
        outcomes.add(
          'Deferred',
          sub,
          n,
          cell.state === State.WaitingRetry ? cell.dueAt : 0,
          '',
          errorText(command),
        )
      return undefined
    case 'DeadLetter':
      deadLetter.delivery = item.delivery
      deadLetter.policy = policy
      if (!step(cell, deadLetter)) return 'ReceiptExpired'
      leave(outcomes, cell.state, sub, n, 'RetryScheduled', 0, 'onPurpose', errorText(command))
      return undefined
  }
}

const errorText = (c: Settling): string =>
  'error' in c && c.error !== undefined ? c.error.slice(0, limits.errorCharactersMax) : ''

/** Notes where a failed message went: to a pause, to the DLQ, or out. */
export const leave = (
  outcomes: Outcomes,
  state: State,
  sub: Subscription,
  n: number,
  stays: 'RetryScheduled' | 'LeaseExpired',
  dueAt: number,
  cause: string,
  error: string,
): void => {
  if (state === State.DLQ) outcomes.add('DeadLettered', sub, n, 0, cause, error)
  else if (state === State.Discarded) outcomes.add('Discarded', sub, n, 0, cause, error, 'exhausted')
  else outcomes.add(stays, sub, n, dueAt, '', error)
}
