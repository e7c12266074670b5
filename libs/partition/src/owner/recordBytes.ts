import { type CommandOf, limits, textBytes, valueBytes } from '@kiroku/protocol'
import type { CommandWith } from '../decide.ts'
import { delayOf, type EnqueueOf, type SizedRef } from '../send/storeSend.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'

/** The most that facts take beside what their command brings: numbers, names of fields, what is there already. */
const factBytes = 400
/** The settings of a queue, as far as they are of a fixed size. */
const settingsBytes = 3 * 1024
/** The most that the fact of a send and of a forward take beside their texts and their numbers of subscriptions. */
const sentBytes = 120
const forwardedBytes = 400
/** A number, a place in the table of bodies, and a dedup key with what is repeated under it. */
const numberBytes = 9
const placeBytes = 16
const keyBytes = 48

/**
 * The most that the facts of a command may take on record, which is known before it is decided. Commands that settle
 * take what room there is, so that theirs is what they need to go on.
 */
export const recordBytes = <B extends Uint8Array | SizedRef>(
  state: PartitionState,
  command: CommandWith<B> | CommandOf<'ConfirmClock'>,
): number => {
  switch (command.type) {
    case 'Enqueue':
      return sendBytes(command, state.names.get(command.queue))
    case 'Forward':
      return forwardBytes(command, state.queues.get(command.target))
    case 'Ack':
    case 'Retry':
    case 'Extend':
    case 'Release':
    case 'DeadLetter':
      return 4 * limits.errorCharactersMax
    case 'Receive':
      // A repeated one renews the leases of its batch.
      return command.attempt === undefined
        ? 0
        : factBytes + textBytes(command.attempt) + 2 * numberBytes * limits.messagesPerReceiveMax
    case 'CreateQueue':
      return factBytes + settingsBytes + valueBytes(command)
    case 'ConfigureQueue': {
      // What is not changed is recorded again.
      const queue = state.names.get(command.queue)
      return factBytes + valueBytes(command) + (queue === undefined ? 0 : valueBytes(queue.config))
    }
    case 'ConfigureSubscription': {
      const sub = state.names.get(command.queue)?.named(command.subscription)
      return factBytes + valueBytes(command) + (sub === undefined ? 0 : valueBytes(sub.settings))
    }
    case 'PlacePart':
      // What the part had and the home has not is deleted, and what is new is created and configured.
      return settingsBytes + 2 * factBytes * limits.subscriptionsPerQueueMax + 2 * valueBytes(command)
    case 'SpreadQueue':
      return factBytes * (limits.partsPerQueueMax + 1) + valueBytes(command)
    case 'ListQueues':
    case 'DescribeQueue':
    case 'DescribeGroups':
    case 'DescribeRedrives':
    case 'CancelReceive':
    case 'FollowPartition':
      return 0
    default:
      return 4 * factBytes + valueBytes(command)
  }
}

const sendBytes = <B>(command: EnqueueOf<B>, queue: QueueState | undefined): number => {
  const { messages, tags, groups, delaysMs } = command
  const fact = sentBytes + textBytes(command.producer)
  const filtersBytes = filtersOf(queue) * numberBytes
  let bytes = messages.length * placeBytes
  if (queue !== undefined && queue.config.dedup !== 'off') bytes += factBytes + messages.length * keyBytes
  if ((tags === undefined && groups === undefined && delaysMs === undefined) || queue === undefined)
    return bytes + fact + filtersBytes
  for (let i = 0; i < messages.length; i++) {
    const tag = tags?.[i] ?? ''
    const group = groups?.[i] ?? ''
    const delayMs = delayOf(queue, command, i)
    const isLike =
      i > 0 &&
      tag === (tags?.[i - 1] ?? '') &&
      group === (groups?.[i - 1] ?? '') &&
      delayMs === delayOf(queue, command, i - 1)
    if (isLike) continue
    // A delayed message meets the filters when its delay is over.
    bytes += fact + textBytes(tag) + textBytes(group) + (delayMs === 0 ? filtersBytes : 0)
  }
  return bytes
}

const forwardBytes = <B>(
  { messages, tags, groups }: Extract<CommandWith<B>, { type: 'Forward' }>,
  queue: QueueState | undefined,
): number => {
  const fact = forwardedBytes + (queue?.subs.length ?? 0) * numberBytes
  let bytes = 0
  for (let i = 0; i < messages.length; i++)
    bytes += placeBytes + numberBytes + fact + textBytes(tags?.[i] ?? '') + textBytes(groups?.[i] ?? '')
  return bytes
}

/** Subscriptions that a message may not be for. */
const filtersOf = (queue: QueueState | undefined): number => {
  let count = 0
  for (const { tags } of queue?.subs ?? []) if (tags !== null) count++
  return count
}
