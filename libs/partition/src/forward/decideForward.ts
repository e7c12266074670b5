import { type Answers, type CommandOf, isGroup, KirokuError, limits } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { refuseTags } from '../send/refuseSend.ts'
import { bytesOf, markedBy, type SizedRef } from '../send/storeSend.ts'
import type { QueueState } from '../state/QueueState.ts'

/** Generation of the only subscription that a forward is for, where that says anything. */
const onlySub = (queue: QueueState, name: string): number | undefined =>
  name === '' || queue.subs.length === 1 ? undefined : queue.named(name)!.id

/** Stores dead letters from another queue's outbox; those that came before are passed over. */
export const decideForward = <B extends Uint8Array | SizedRef>(
  turn: Turn<B>,
  command: Omit<CommandOf<'Forward'>, 'messages'> & { readonly messages: readonly B[] },
  token: number,
): void => {
  const { state } = turn
  const refusal = refuseForward(command)
  if (refusal !== undefined) return turn.refuse(token, refusal)
  const queue = state.queues.get(command.target)
  const seen = state.nextForward(command.from, command.target)
  const stored = seen ?? 1
  if (queue === undefined) return turn.ok(token, goneTarget(turn, command, stored))
  // It may have been stored long ago, by a lane that was closed and forgotten since.
  if (seen === undefined && (command.first ?? 1) < (state.firstForwards.get(command.from.partition) ?? 0))
    return turn.refuse(
      token,
      new KirokuError(
        'Unavailable',
        `the forward left before partition ${command.from.partition} closed lanes; it is sent again`,
      ),
    )
  const skip = Math.max(0, stored - command.forward)
  const end = endOfStorable(queue, command, skip)
  if (skip < command.messages.length) {
    if (queue.place?.isOpen === false)
      return turn.refuse(token, new KirokuError('QueueMoved', `this part of "${queue.name}" ends`))
    if (end === skip)
      return turn.refuse(
        token,
        new KirokuError(
          'UnknownSubscription',
          `queue "${queue.name}" has no subscription "${command.subscriptions![skip]}"`,
        ),
      )
    for (let start = skip; start < end;) {
      const tag = command.tags?.[start] ?? ''
      const group = command.groups?.[start] ?? ''
      const only = command.subscriptions?.[start] ?? ''
      let bytes = 0
      let next = start
      do bytes += Math.max(0, bytesOf(command.messages[next++]!))
      while (
        next < end &&
        (command.tags?.[next] ?? '') === tag &&
        (command.groups?.[next] ?? '') === group &&
        (command.subscriptions?.[next] ?? '') === only
      )
      turn.emit({
        type: 'ForwardReceived',
        queue: queue.id,
        first: queue.nextNumber,
        count: next - start,
        from: command.from,
        forward: command.forward + start,
        bytes,
        enqueuedAt: command.enqueuedAt.slice(start, next).map((at) => Math.min(at, turn.now)),
        ...markedBy(
          queue,
          tag,
          queue.config.groups === 'none' ? '' : group,
          true,
          undefined,
          onlySub(queue, only),
        ),
      })
      start = next
    }
    turn.addBodies(queue.id, command.messages.slice(skip, end))
  }
  turn.ok(token, { outcome: 'stored', upTo: command.forward + end })
}

/** Where the messages from `start` on end that can be stored: ahead of one whose only subscription is gone. */
const endOfStorable = (
  queue: QueueState,
  { messages, subscriptions }: Pick<CommandOf<'Forward'>, 'subscriptions'> & { messages: readonly unknown[] },
  start: number,
): number => {
  for (let i = start; i < messages.length; i++) {
    const only = subscriptions?.[i] ?? ''
    if (only !== '' && queue.named(only) === undefined) return i
  }
  return messages.length
}

/** What the target of a forward had stored before it was deleted, and which queue has its name now. */
const goneTarget = <B>(
  { state }: Turn<B>,
  {
    name,
    forward,
    messages,
  }: Pick<CommandOf<'Forward'>, 'name' | 'forward'> & { messages: readonly unknown[] },
  stored: number,
): Answers['Forward'] => {
  const again = name === undefined ? undefined : state.names.get(name)
  return {
    outcome: 'targetGone',
    upTo: forward + messages.length,
    stored,
    // A part takes what its home gives it.
    ...(again === undefined || again.place !== undefined ? {} : { again: again.id }),
  }
}

const refuseForward = (
  command: Omit<CommandOf<'Forward'>, 'messages'> & { messages: readonly unknown[] },
): KirokuError | undefined => {
  const { from, target, forward, messages, enqueuedAt, tags, groups, subscriptions } = command
  const whole = (n: number): boolean => Number.isSafeInteger(n) && n >= 0
  return whole(from.partition) &&
    whole(from.queue) &&
    whole(target) &&
    whole(forward) &&
    forward >= 1 &&
    Number.isSafeInteger(forward + messages.length) &&
    messages.length >= 1 &&
    messages.length <= limits.messagesPerSendMax &&
    enqueuedAt.length === messages.length &&
    enqueuedAt.every(whole) &&
    refuseTags(tags, messages.length) === undefined &&
    (groups === undefined || (groups.length === messages.length && groups.every(isGroup))) &&
    (subscriptions === undefined || subscriptions.length === messages.length)
    ? undefined
    : new KirokuError(
        'InvalidArgument',
        'a forward needs addresses, its number, and 1 to 1,000 dated messages',
      )
}
