import {
  type CommandOf,
  rangeTotal,
  KirokuError,
  limits,
  pushRange,
  type Ranges,
  State,
} from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { namedSubscription } from '../lookup.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'
import { availableAmong } from '../store/available.ts'

/** Discards those of the messages that are still in the state that the caller saw; the others stay as they are. */
export const decideDiscard = <B>(turn: Turn<B>, command: CommandOf<'Discard'>, token: number): void => {
  const { state } = turn
  const { numbers, by } = command
  const sub = namedSubscription(turn, command.queue, command.subscription, token)
  if (sub === undefined) return
  if (!areOrdered(numbers) || rangeTotal(numbers) > limits.discardMessagesMax)
    return turn.refuse(
      token,
      new KirokuError(
        'InvalidArgument',
        `a discard names up to ${limits.discardMessagesMax} messages, by ranges in the order of their numbers`,
      ),
    )
  const standing =
    command.state === 'Available' ? available(state, sub, numbers) : waiting(state, sub, numbers)
  if (standing.length > 0) {
    const queue = sub.queue.id
    const facts = { reason: 'operator', cause: 'operator', error: '', by } as const
    turn.emit({ type: 'Discarded', queue, sub: sub.id, numbers: standing, ...facts })
  }
  turn.ok(token, { discarded: rangeTotal(standing) })
}

const areOrdered = (numbers: Ranges): boolean => {
  let next = 1
  for (let i = 0; i < numbers.length; i += 2) {
    const [first, count] = [numbers[i]!, numbers[i + 1]!]
    if (!Number.isSafeInteger(first) || first < next || !Number.isSafeInteger(count) || count < 1)
      return false
    next = first + count
  }
  return numbers.length % 2 === 0
}

const available = (state: PartitionState, sub: Subscription, numbers: Ranges): Ranges => {
  const standing: Ranges = []
  for (const { number } of availableAmong(state, sub, numbers)) pushRange(standing, number, 1)
  return standing
}

const waiting = ({ live }: PartitionState, sub: Subscription, numbers: Ranges): Ranges => {
  const standing: Ranges = []
  for (let i = 0; i < numbers.length; i += 2)
    for (let n = numbers[i]!, end = n + numbers[i + 1]!; n < end; n++) {
      const slot = live.find(sub.index, n)
      if (slot >= 0 && live.state[slot] === State.WaitingRetry) pushRange(standing, n, 1)
    }
  return standing
}
