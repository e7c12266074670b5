import { State, step, retryDelayMs, type MachineEvent } from '@kiroku/message'
import { loadCell } from '../cell.ts'
import type { CommandOf, Refusal, SettleItem } from '../Command.ts'
import { limits } from '../limits.ts'
import { Outcomes } from '../Outcomes.ts'
import type { Subscription } from '../state/QueueState.ts'
import type { Turn } from '../Turn.ts'

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
const release: Extract<MachineEvent, { type: 'RELEASE' }> = { type: 'RELEASE', delivery: 0 }
const deadLetter: Extract<MachineEvent, { type: 'DEAD_LETTER' }> = {
  type: 'DEAD_LETTER',
  delivery: 0,
  policy: undefined as never,
}

/** Settles messages; each that the law does not accept is named in the answer. `undelivered` tells a release that the engine makes. */
export const decideSettle = <B>(
  turn: Turn<B>,
  command: Settling,
  token: number,
  undelivered = false,
): void => {
  const refused: Refusal[] = []
  const outcomes = new Outcomes()
  const leaseUntil = command.type === 'Extend' ? turn.now + command.leaseMs : 0
  let behind: Subscription | undefined
  let end = 0
  for (let i = 0; i < command.items.length; i++) {
    const item = command.items[i]!
    const sub = turn.state.subscriptionOf(item.queue, item.sub)
    for (let r = 0; r < item.numbers.length; r += 2) {
      const first = item.numbers[r]!
      if (!Number.isSafeInteger(first)) {
        refused.push({ item: i, number: first, error: 'InvalidReceipt' })
        continue
      }
      // A message named twice: the first verdict must be in force before the second is heard.
      if (sub !== behind || first < end) outcomes.flush(turn)
      behind = sub
      end = first + Math.min(item.numbers[r + 1]!, limits.messagesPerReceiveMax)
      for (let n = first; n < end; n++) {
        const error =
          sub === undefined
            ? 'UnknownReceipt'
            : settle(turn, command, item, sub, n, leaseUntil, outcomes, undelivered)
        if (error !== undefined) refused.push({ item: i, number: n, error })
      }
    }
  }
  outcomes.flush(turn)
  turn.ok(token, command.type === 'Extend' ? { refused, leaseUntil, now: turn.now } : { refused })
}

const settle = <B>(
  turn: Turn<B>,
  command: Settling,
  item: SettleItem,
  sub: Subscription,
  n: number,
  leaseUntil: number,
  outcomes: Outcomes,
  undelivered: boolean,
): Refusal['error'] | undefined => {
  const { live, nextDelivery } = turn.state
  const { policy } = sub.queue
  const slot = live.find(sub.index, n)
  if (slot < 0) {
    // Once delivered and no longer live is final: saying so again is no error for an ack.
    const known = n < sub.queue.nextNumber && n > 0 && item.delivery > 0 && item.delivery < nextDelivery
    return command.type === 'Ack' && known ? undefined : 'UnknownReceipt'
  }
  if (item.delivery <= 0 || item.delivery > live.delivery[slot]!) return 'UnknownReceipt'
  const cell = loadCell(live, slot, turn.cell)
  switch (command.type) {
    case 'Ack':
      ack.delivery = item.delivery
      ack.policy = policy
      if (!step(cell, ack)) return 'ReceiptExpired'
      outcomes.add('Acked', sub, n)
      return undefined
    case 'Retry': {
      const pause = command.delayMs ?? retryDelayMs(sub.queue.config.retry, cell.attempt, turn.random())
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
        command.error ?? '',
      )
      return undefined
    }
    case 'Extend':
      extend.now = turn.now
      extend.delivery = item.delivery
      extend.leaseUntil = leaseUntil
      if (!step(cell, extend)) {
        const held = cell.state === State.Inflight && cell.delivery === item.delivery
        return held ? 'LeaseCapReached' : 'ReceiptExpired'
      }
      outcomes.add('LeaseExtended', sub, n, leaseUntil)
      return undefined
    case 'Release':
      release.delivery = item.delivery
      if (!step(cell, release)) return 'ReceiptExpired'
      outcomes.add('Released', sub, n, 0, undelivered ? 'undelivered' : 'client')
      return undefined
    case 'DeadLetter':
      deadLetter.delivery = item.delivery
      deadLetter.policy = policy
      if (!step(cell, deadLetter)) return 'ReceiptExpired'
      leave(outcomes, cell.state, sub, n, 'RetryScheduled', 0, 'onPurpose', command.error ?? '')
      return undefined
  }
}

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
