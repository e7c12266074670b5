import {
  type Actor,
  type Answer,
  type Answers,
  type CommandOf,
  KirokuError,
  limits,
  type QueueConfig,
  inForce,
} from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { homeQueue } from '../lookup.ts'
import { orRefuse } from '../orRefuse.ts'
import { endPoll } from '../receive/decideReceive.ts'
import type { Ownership } from '../ownership/Ownership.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import { newsFor, type LeavingPart, type Part } from './Spread.ts'

/** Changes where a queue's parts are meant to be; answers when those that are wanted take sends and the others none. */
export const decideSpreadQueue = <B>(turn: Turn<B>, c: CommandOf<'SpreadQueue'>, token: number): void =>
  orRefuse(turn, token, () => {
    const queue = homeQueue(turn, c.queue, token)
    if (queue === undefined) return
    const wanted = new Set(c.partitions)
    refusePartitions(turn.own, c.partitions, wanted)
    for (const { config } of [queue, ...queue.subs]) refuseParts(config, wanted.size + 1)
    const before = queue.spread?.parts ?? []
    const since = (queue.spread?.version ?? 0) + 1
    const parts = before.map((part) => meant(part, wanted.has(part.partition), since))
    for (const partition of c.partitions)
      if (!before.some((part) => part.partition === partition))
        parts.push({ partition, queue: 0, state: 'opening', since })
    if (parts.length > before.length || parts.some((part, i) => part !== before[i])) {
      turn.emit({ type: 'QueueSpread', queue: queue.id, parts, by: c.by })
      tellReceivers(turn, queue)
    }
    okWhenFollowed(turn, queue, token, { queue: queue.id })
  })

const meant = (part: Part, isWanted: boolean, since: number): Part => {
  if (!isWanted) return part.state === 'sealed' ? part : { ...part, state: 'sealed' }
  return part.state === 'sealed' ? { ...part, state: 'opening', since } : part
}

const refusePartitions = (
  { state: { partition }, partitions }: Ownership,
  list: readonly number[],
  wanted: ReadonlySet<number>,
): void => {
  const areRight = list.every((n) => Number.isSafeInteger(n) && n >= 0 && n !== partition)
  if (!areRight || wanted.size !== list.length || list.length > limits.partsPerQueueMax)
    throw new KirokuError(
      'InvalidArgument',
      `a queue is spread over up to ${limits.partsPerQueueMax} partitions beside its own, each named once`,
    )
  const missing = list.find((n) => n >= partitions)
  if (missing !== undefined)
    throw new KirokuError(
      'InvalidArgument',
      `there is no partition ${missing}: the log has ${partitions}, counted from 0`,
    )
}

/**
 * Refuses what a queue of `of` parts cannot have: what needs all messages in one place, and limits that cannot be
 * shared out, a whole number to each part. Errors: `InvalidConfig`.
 */
export const refuseParts = (config: QueueConfig, of: number): void => {
  if (of === 1) return
  if (config.groups === 'ordered')
    throw new KirokuError('InvalidConfig', 'a queue that keeps its groups in order stays in one partition')
  if (config.dedup !== 'off')
    throw new KirokuError('InvalidConfig', 'a queue that deduplicates stays in one partition')
  if (config.erasable === 'group')
    throw new KirokuError('InvalidConfig', 'a queue whose groups can be erased stays in one partition')
  if (config.idleMs > 0)
    throw new KirokuError('InvalidConfig', 'a queue that is deleted when it is idle stays in one partition')
  for (const name of ['rateMax', 'inflightMax', 'concurrencyMax'] as const)
    if (config[name] > 0 && config[name] < of)
      throw new KirokuError(
        'InvalidConfig',
        `a ${name} of ${config[name]} cannot be shared out among the ${of} parts of a queue`,
      )
}

/** Tells receives that wait of parts that they do not know. */
const tellReceivers = <B>(turn: Turn<B>, { subs, spread }: QueueState): void => {
  if (spread === undefined) return
  for (const sub of subs)
    turn.own.of(sub).eachWaiting((poll) => {
      const news = newsFor(spread, poll.knows)
      if (news === undefined) return
      endPoll(turn.own, poll)
      turn.ok(poll.token, { spread: news })
    })
}

/** Answers as soon as every part of the queue follows what was decided so far. */
export const okWhenFollowed = <B>(
  turn: Turn<B>,
  queue: QueueState,
  token: number,
  ok: NonNullable<Answer['ok']>,
): void => {
  const { spread } = queue
  const progress = turn.own.progressOf(queue)
  if (spread === undefined || progress.isFollowed(spread, spread.revision)) turn.ok(token, ok)
  else progress.awaiting.push({ token, ok: { ...(ok as object) }, revision: spread.revision })
}

/** What a part is to be, by its home. */
export const placePart = (state: PartitionState, queue: QueueState, part: Part): CommandOf<'PlacePart'> => {
  const { revision, purges, parts } = queue.spread!
  return {
    type: 'PlacePart',
    queue: queue.name,
    home: { partition: state.partition, queue: queue.id },
    revision,
    since: part.since,
    isOpen: part.state !== 'sealed',
    index: parts.indexOf(part) + 1,
    of: parts.length + 1,
    purges,
    config: inForce(queue.config, state.clusterVersion),
    deliveryPaused: queue.deliveryPaused,
    subs: queue.subs.map(({ name, id, settings, deliveryPaused }) => ({
      name,
      sub: id,
      settings,
      deliveryPaused,
    })),
  }
}

/** Notes what a part said, and answers those who waited for it. */
export const decidePlaced = <B>(
  turn: Turn<B>,
  id: number,
  partition: number,
  answer: Answers['PlacePart'],
): void => {
  const queue = turn.state.queues.get(id)
  const spread = queue?.spread
  const part = spread?.parts.find((p) => p.partition === partition)
  if (queue === undefined || spread === undefined || part === undefined) return
  const progress = turn.own.progressOf(queue)
  progress.followed.set(partition, answer.revision)
  // What it says of an earlier revision may have changed since.
  if (answer.revision >= spread.revision) {
    const { totals } = answer
    if (part.state === 'opening' || part.queue !== answer.queue) {
      if (part.state !== 'sealed') turn.emit({ type: 'PartOpened', queue: id, partition, part: answer.queue })
    }
    if (part.state === 'sealed' && totals !== undefined)
      turn.emit({ type: 'PartClosed', queue: id, partition, totals })
    tellReceivers(turn, queue)
  }
  const waiting = progress.awaiting
  progress.awaiting = []
  for (const w of waiting) {
    const { ok } = w
    if (ok.purged !== undefined) ok.purged += answer.purged
    if (progress.isFollowed(spread, w.revision)) turn.ok(w.token, ok as never)
    else progress.awaiting.push(w)
  }
}

/**
 * A part was dropped by this home as of a revision that the home knows nothing of: the log lost its end, and nobody
 * noticed. What the home means goes on from a later one, until the part takes it.
 */
export const decideMoved = <B>(turn: Turn<B>, id: number, partition: number, revision: number): void => {
  const spread = turn.state.queues.get(id)?.spread
  if (spread?.revision !== revision || !spread.parts.some((p) => p.partition === partition)) return
  const by: Actor = { name: 'engine', origin: `part in partition ${partition}` }
  turn.emit({ type: 'QueueSpread', queue: id, parts: [...spread.parts], by })
}

/** Notes that a part is gone, and answers those who waited for it. */
export const decideDropped = <B>(turn: Turn<B>, { queue, partition }: LeavingPart): void => {
  const { state, own } = turn
  if (!state.leaving.some((l) => l.queue === queue && l.partition === partition)) return
  turn.emit({ type: 'PartGone', queue, partition })
  if (state.leaving.some((l) => l.queue === queue)) return
  for (const { token, queue: id, ok } of own.awaitingGone) if (id === queue) turn.ok(token, ok as never)
  own.awaitingGone = own.awaitingGone.filter((w) => w.queue !== queue)
}
