import {
  type Actor,
  type CommandOf,
  rangeTotal,
  intersectRanges,
  KirokuError,
  rangeBytes,
  type Ranges,
  valueBytes,
} from '@kiroku/protocol'
import type { PlannedDelivery, Rest, Turn } from '../Turn.ts'
import { namedQueue } from '../lookup.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { erasedAmong, heldUnder, type ErasedMessages } from './erased.ts'

/** The most that the facts of an erasure take beside their numbers and the command's texts: one for each subscription. */
const erasureBytes = 24 * 1024

/**
 * Puts on record that keys are to be deleted, and ends what of these messages is not final. The answer comes when
 * the keys are gone. Of more messages than a record takes the first are ended ahead of it, a part in each turn.
 *
 * @param key id of the key with which the group goes on, which is stored already
 * @param ended messages that were ended ahead
 */
export const decideErase = <B>(
  turn: Turn<B>,
  command: CommandOf<'Erase'>,
  token: number,
  key?: string,
  ended = 0,
): Rest<B> | undefined => {
  const { state } = turn
  const queue = namedQueue(turn, command.queue, token)
  if (queue === undefined) return undefined
  const which = erasedBy(queue, command)
  if (which instanceof KirokuError) return void turn.refuse(token, which)
  if ('group' in which && key === undefined)
    return void turn.refuse(
      token,
      new KirokuError('Busy', 'the key of the group is not at hand yet', { retryAfterMs: 100 }),
    )
  const ahead = endAhead(turn, queue, which, command.by)
  if (ahead !== undefined) return (next) => decideErase(next, command, token, key, ended + ahead)
  const erasure = state.nextErasure
  turn.emit({
    type: 'Erased',
    queue: queue.id,
    erasure,
    ...('group' in which ? { group: which.group, key: key! } : { numbers: [which.number, 1] }),
    by: command.by,
  })
  let discarded = ended
  for (const sub of [...queue.subs]) {
    const numbers = erasedAmong(state, sub, which)
    discarded += rangeTotal(numbers)
    end(turn, sub, numbers)
  }
  turn.own.awaitingErased.push({ token, erasure, discarded })
  return undefined
}

/** Ends as many messages as there is room for, the oldest first, unless there is room for all of them. */
const endAhead = <B>(
  turn: Turn<B>,
  queue: QueueState,
  which: ErasedMessages,
  by: Actor,
): number | undefined => {
  if (turn.bytesMax === Number.POSITIVE_INFINITY) return undefined
  const rangesMax = Math.floor((turn.commandRoom - erasureBytes - valueBytes(by)) / rangeBytes)
  const bySub = queue.subs.map((sub) => ({ sub, numbers: erasedAmong(turn.state, sub, which) }))
  const firsts = bySub.flatMap(({ numbers }) => numbers.filter((_, i) => i % 2 === 0))
  if (firsts.length <= rangesMax) return undefined
  // All subscriptions up to the same number: what is delayed is ended for all of them at once.
  const upTo = firsts.sort((a, b) => a - b)[Math.max(0, rangesMax)]!
  let ended = 0
  for (const { sub, numbers } of bySub) {
    const early = intersectRanges(numbers, [0, upTo])
    ended += rangeTotal(early)
    end(turn, sub, early)
  }
  return ended
}

/** Ends messages of a delivery that are unreadable now, as far as it still holds them. */
export const decideUnreadable = <B>(
  turn: Turn<B>,
  { queue, sub, delivery }: Pick<PlannedDelivery, 'queue' | 'sub' | 'delivery'>,
  numbers: readonly number[],
): void => {
  const found = turn.state.subscriptionOf(queue, sub)
  if (found !== undefined) end(turn, found, heldUnder(turn.state, found, delivery, numbers))
}

const end = <B>(turn: Turn<B>, sub: Subscription, numbers: Ranges): void => {
  if (numbers.length === 0) return
  const { id } = sub
  const queue = sub.queue.id
  turn.emit({ type: 'Discarded', queue, sub: id, numbers, reason: 'erased', cause: 'operator', error: '' })
}

/** Which messages are meant, by the queue's setting. */
const erasedBy = (queue: QueueState, c: CommandOf<'Erase'>): ErasedMessages | KirokuError => {
  const { erasable } = queue.config
  if (erasable === 'none') return new KirokuError('NotErasable', `queue "${queue.name}" is not erasable`)
  if ((c.by.reason ?? '') === '')
    return new KirokuError('InvalidArgument', 'an erasure needs a reason, for the record')
  if ((c.message === undefined) === (c.group === undefined))
    return new KirokuError('InvalidArgument', 'an erasure names either a message or a group')
  if ((c.group === undefined) !== (erasable === 'message'))
    return new KirokuError('NotErasable', `queue "${queue.name}" is erasable by ${erasable}`)
  if (c.group !== undefined) return { group: c.group }
  const { queue: id, number } = c.message!
  return id === queue.id && Number.isSafeInteger(number) && number >= 1 && number < queue.nextNumber
    ? { number }
    : new KirokuError('UnknownMessage', `message ${number} is not one of queue "${queue.name}"`)
}

/** The keys of an erasure are gone: answers those who asked for it. */
export const decideKeysDeleted = <B>(turn: Turn<B>, erasure: number): void => {
  const { state, own } = turn
  const found = state.erasures.find((e) => e.erasure === erasure)
  if (found === undefined) return
  turn.emit({ type: 'KeysDeleted', queue: found.queue, erasure })
  for (const { token, discarded } of own.awaitingErased.filter((a) => a.erasure === erasure))
    turn.ok(token, { erasure, discarded })
  own.awaitingErased = own.awaitingErased.filter((a) => a.erasure !== erasure)
}
