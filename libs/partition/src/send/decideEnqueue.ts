import {
  type Answers,
  bodyBytes,
  type CommandOf,
  groupRule,
  inTime,
  isDisguised,
  isGroup,
  isTag,
  KirokuError,
  limits,
  tagRule,
} from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { seenKey } from '../forward/Outbox.ts'
import { newsFor } from '../spread/Spread.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import type { Subscription } from '../state/Subscription.ts'
import { enqueueOnce } from './enqueueOnce.ts'
import { refuseIds } from './sendIds.ts'
import { bytesOf, delayOf, markedBy, storeSend, type EnqueueOf, type SizedRef } from './storeSend.ts'

/** The queue of that name, or an `UnknownQueue` answer. */
export const namedQueue = <B>(turn: Turn<B>, name: string, token: number): QueueState | undefined => {
  const queue = turn.state.names.get(name)
  if (queue === undefined) turn.refuse(token, new KirokuError('UnknownQueue', `there is no queue "${name}"`))
  return queue
}

/** The subscription of that name, or an `UnknownQueue` or `UnknownSubscription` answer. */
export const namedSubscription = <B>(
  turn: Turn<B>,
  queue: string,
  name: string,
  token: number,
): Subscription | undefined => {
  const found = namedQueue(turn, queue, token)
  if (found === undefined) return undefined
  const sub = found.named(name)
  if (sub === undefined)
    turn.refuse(
      token,
      new KirokuError('UnknownSubscription', `queue "${queue}" has no subscription "${name}"`),
    )
  return sub
}

/** The queue of that name for who changes it; a part is changed by its home alone. */
export const homeQueue = <B>(turn: Turn<B>, name: string, token: number): QueueState | undefined => {
  const queue = namedQueue(turn, name, token)
  if (queue?.place === undefined) return queue
  const { partition } = queue.place.home
  turn.refuse(token, new KirokuError('QueueMoved', `partition ${partition} is the home of queue "${name}"`))
  return undefined
}

/** The subscription of that name for who changes it. */
export const homeSubscription = <B>(
  turn: Turn<B>,
  queue: string,
  name: string,
  token: number,
): Subscription | undefined =>
  turn.state.names.get(queue)?.place === undefined
    ? namedSubscription(turn, queue, name, token)
    : void homeQueue(turn, queue, token)

/** Bytes of a message beside its body and the length before its meta. */
const metaBytesOf = (message: Uint8Array | SizedRef): number =>
  message instanceof Uint8Array ? message.length - bodyBytes(message) - 3 : 0

/** A client's sends to the whole partition wait for the pause, so it is a short one. */
const producersPauseMsMax = 1_000

/**
 * What an earlier try of the same send led to. One that cannot be told from those long ago is refused here, and one
 * of a producer for whom there is no room: a send that is not remembered could be stored twice.
 */
export const earlierSend = <B>(
  turn: Turn<B>,
  { producer, send }: Pick<CommandOf<'Enqueue'>, 'producer' | 'send'>,
  token: number,
): Answers['Enqueue'] | 'refused' | undefined => {
  const before = earlierAnswer(turn, producer, send)
  if (!(before instanceof KirokuError)) return before
  turn.refuse(token, before)
  return 'refused'
}

const earlierAnswer = <B>(
  { state: { producers }, now }: Turn<B>,
  producer: string,
  send: number,
): Answers['Enqueue'] | KirokuError | undefined => {
  if (typeof producer !== 'string' || producer.length > limits.producerCharactersMax)
    return new KirokuError(
      'InvalidArgument',
      `a producer is named by at most ${limits.producerCharactersMax} characters`,
    )
  if (!Number.isSafeInteger(send) || send < 1)
    return new KirokuError(
      'InvalidArgument',
      `a producer counts its sends from 1; ${send} is not a number of one`,
    )
  const before = producers.find(producer, send)
  if (before === 'tooOld')
    return new KirokuError('InvalidArgument', `send ${send} of this producer is too long ago to be repeated`)
  if (before !== undefined) return before
  const waitMs = producers.waitMs(producer, now)
  return waitMs === 0
    ? undefined
    : new KirokuError('Busy', `this partition remembers its ${limits.producersMax} producers already`, {
        retryAfterMs: Math.min(waitMs, producersPauseMsMax),
      })
}

/** Stores a send, or answers a repeated one as before. */
export const decideEnqueue = <B extends Uint8Array | SizedRef>(
  turn: Turn<B>,
  command: EnqueueOf<B>,
  token: number,
): void => {
  const before = earlierSend(turn, command, token)
  if (before === 'refused') return
  if (before !== undefined) return turn.ok(token, before)
  const queue = namedQueue(turn, command.queue, token)
  if (queue === undefined) return
  const { messages } = command
  const refusal = refuseElsewhere(queue, command.spread) ?? refuseSend(queue, command, messages)
  if (refusal !== undefined) return turn.refuse(token, refusal)
  const stored =
    queue.config.dedup === 'off' ? enqueueAll(turn, queue, command) : enqueueOnce(turn, queue, command)
  if (stored instanceof KirokuError) return turn.refuse(token, stored)
  const spread = queue.place === undefined ? newsFor(queue.spread, command.spread ?? 0) : undefined
  turn.ok(token, spread === undefined ? stored : { ...stored, spread })
}

/** Generation of the only subscription that a forward is for, where that says anything. */
const onlySub = (queue: QueueState, name: string): number | undefined =>
  name === '' || queue.subs.length === 1 ? undefined : queue.named(name)!.id

const enqueueAll = <B extends Uint8Array | SizedRef>(
  turn: Turn<B>,
  queue: QueueState,
  command: EnqueueOf<B>,
): Answers['Enqueue'] => {
  const first = queue.nextNumber
  storeSend(turn, queue, command)
  return { queue: queue.id, first, count: command.messages.length }
}

/** A part takes sends while it is open, and none that were meant for it before it was opened. */
const refuseElsewhere = ({ name, place }: QueueState, knows = 0): KirokuError | undefined =>
  place === undefined || (place.isOpen && knows >= place.since)
    ? undefined
    : new KirokuError('QueueMoved', `queue "${name}" takes no such sends in this partition`)

const refuseSend = (
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
    if (metaBytesOf(messages[i]!) > limits.envelopeMetaBytesMax)
      return new KirokuError(
        'InvalidArgument',
        `the attributes of message ${i} have more than ${limits.envelopeMetaBytesMax} bytes`,
      )
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

const refuseTags = (tags: readonly string[] | undefined, count: number): KirokuError | undefined => {
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

/** Whether a forward brings letters that would be stored: their queue is there, and they are not in it yet. */
export const bringsLetters = (
  { queues, forwardsSeen }: PartitionState,
  { from, target, forward, messages }: CommandOf<'Forward'>,
): boolean => queues.has(target) && (forwardsSeen.get(seenKey(from, target)) ?? 1) < forward + messages.length

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
  const seen = state.forwardsSeen.get(seenKey(command.from, command.target))
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

/** Where the messages from `start` on end that can be stored: ahead of one whose only subscription is gone, which nobody would get. */
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
