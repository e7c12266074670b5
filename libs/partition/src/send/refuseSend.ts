import {
  type CommandOf,
  groupRule,
  inTime,
  isDisguised,
  isGroup,
  isTag,
  KirokuError,
  limits,
  metaBytes,
  metaBytesMax,
  tagRule,
} from '@kiroku/protocol'
import { refuseIds } from '../repeats/sendIds.ts'
import type { QueueState } from '../state/QueueState.ts'
import { bytesOf, delayOf, type SizedRef } from './storeSend.ts'

/** Bytes of what a message carries beside its body. */
const metaBytesOf = (message: Uint8Array | SizedRef): number =>
  message instanceof Uint8Array ? metaBytes(message) : (message.metaBytes ?? 0)

export const refuseSend = (
  queue: QueueState,
  command: Pick<CommandOf<'Enqueue'>, 'delayMs' | 'delaysMs' | 'tags' | 'groups' | 'dedupIds'>,
  messages: readonly (Uint8Array | SizedRef)[],
): KirokuError | undefined => {
  if (messages.length === 0 || messages.length > limits.messagesPerSendMax)
    return new KirokuError(
      'InvalidArgument',
      `a send takes 1 to ${limits.messagesPerSendMax} messages, not ${messages.length}`,
    )
  const bytesMax = queue.config.bodyBytesMax
  const marked =
    refuseTags(command.tags, messages.length) ??
    refuseGroups(queue, command.groups, messages.length) ??
    refuseIds(queue, command.dedupIds, messages.length)
  if (marked !== undefined) return marked
  for (let i = 0; i < messages.length; i++) {
    const bytes = bytesOf(messages[i]!)
    if (bytes > bytesMax)
      return new KirokuError(
        'BodyTooLarge',
        `message ${i} has ${bytes} bytes; queue "${queue.name}" takes bodies up to ${bytesMax}`,
      )
    if (bytes < 0 || isDisguised(messages[i]!))
      return new KirokuError('MalformedRequest', `message ${i} is not an envelope`)
    const most = metaBytesMax(bytesMax, bytes)
    if (metaBytesOf(messages[i]!) > most)
      return new KirokuError('InvalidArgument', `the attributes of message ${i} have more than ${most} bytes`)
    const delay = delayOf(queue, command, i)
    if (!(Number.isInteger(delay) && delay >= 0 && delay <= limits.delayMsMax))
      return new KirokuError(
        'InvalidArgument',
        `a delay must be from 0 to ${inTime(limits.delayMsMax)} in whole ms, not ${inTime(delay)}`,
      )
    if (delay > 0 && delay >= queue.config.retentionMs)
      return new KirokuError(
        'InvalidArgument',
        `a delay of ${delay} ms outlasts the queue's retention of ${queue.config.retentionMs} ms`,
      )
  }
  return undefined
}

export const refuseTags = (tags: readonly string[] | undefined, count: number): KirokuError | undefined => {
  if (tags === undefined) return undefined
  if (tags.length !== count)
    return new KirokuError('InvalidArgument', `there are ${tags.length} tags for ${count} messages`)
  return tags.every(isTag) ? undefined : new KirokuError('InvalidArgument', tagRule)
}

const refuseGroups = (
  queue: QueueState,
  groups: readonly string[] | undefined,
  count: number,
): KirokuError | undefined => {
  const meaning = queue.config.groups
  if (groups === undefined) return needsGroup(queue)
  if (groups.length !== count)
    return new KirokuError('InvalidArgument', `there are ${groups.length} groups for ${count} messages`)
  for (const group of groups) {
    if (!isGroup(group)) return new KirokuError('InvalidArgument', groupRule)
    if (group === '') {
      const refusal = needsGroup(queue)
      if (refusal !== undefined) return refusal
    }
    if (group !== '' && meaning === 'none')
      return new KirokuError(
        'InvalidArgument',
        `queue "${queue.name}" has no groups: create it with groups "ordered" or "fair"`,
      )
  }
  return undefined
}

const needsGroup = ({ name, config }: QueueState): KirokuError | undefined => {
  const why =
    config.groups === 'ordered'
      ? 'is ordered'
      : config.erasable === 'group'
        ? 'is erasable by group'
        : undefined
  return why === undefined
    ? undefined
    : new KirokuError('InvalidArgument', `queue "${name}" ${why}: every message needs a group`)
}
