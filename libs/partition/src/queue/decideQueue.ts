import {
  type Actor,
  type AppliedSection,
  canonical,
  checkConfig,
  checkNewName,
  type CommandOf,
  defaultQueueConfig,
  inTime,
  KirokuError,
  limits,
  type QueueConfig,
  refuseNamed,
} from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { endLanes, readdressHeld } from '../forward/decideForwarded.ts'
import { homeQueue, homeSubscription } from '../lookup.ts'
import { orRefuse } from '../orRefuse.ts'
import { endPoll } from '../receive/decideReceive.ts'
import { okWhenFollowed, refuseParts } from '../spread/decideHome.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { hasNotes, notedEvent, notedOf } from './notes.ts'

/** Creates a queue; an equal one that is there already is no error. */
export const decideCreateQueue = <B>(turn: Turn<B>, c: CommandOf<'CreateQueue'>, token: number): void =>
  orRefuse(turn, token, () => {
    const { state } = turn
    checkNewName(c.queue)
    const config = checkConfig(defaultQueueConfig, c.config)
    checkApplied(c.applied)
    const existing = state.names.get(c.queue)
    if (existing !== undefined) {
      if (!sameConfig(existing.config, config))
        throw new KirokuError('QueueExists', `queue "${c.queue}" is there already, with other settings`)
      if (!hasNotes(existing, c.notes))
        throw new KirokuError('QueueExists', `queue "${c.queue}" is there already, with other notes`)
      return turn.ok(token, { queue: existing.id, created: false, ...notedOf(c) })
    }
    const soon = soonAfter('QueueDeletedRecently', turn, state.deletedNames.get(c.queue), c)
    if (soon !== undefined) throw soon
    if (state.queues.size >= limits.queuesMax)
      throw new KirokuError(
        'LimitReached',
        `partition ${state.partition} has ${limits.queuesMax.toLocaleString('en')} queues, which is the most: delete some, or use a log with more partitions`,
      )
    const queue = state.nextQueue
    refuseOwnDeadLetter(state.partition, queue, c.queue, config)
    const noted = notedEvent(state, { id: queue }, c)
    if (c.dryRun !== true) {
      turn.emit({
        type: 'QueueCreated',
        queue,
        name: c.queue,
        config: { ...config },
        ...(c.applied === undefined ? {} : { applied: c.applied }),
        by: c.by,
      })
      if (noted !== undefined) turn.emit(noted)
    }
    turn.ok(token, { queue, created: true, ...notedOf(c) })
  })

/** Changes settings and notes of a queue; what is not named stays. */
export const decideConfigureQueue = <B>(turn: Turn<B>, c: CommandOf<'ConfigureQueue'>, token: number): void =>
  orRefuse(turn, token, () => {
    const queue = homeQueue(turn, c.queue, token)
    if (queue === undefined) return
    const { applied } = c
    checkApplied(applied)
    if (applied !== undefined && queue.applied.get(applied.source) === applied.digest)
      return turn.ok(token, { queue: queue.id })
    const config = checkConfig(queue.config, c.config)
    if (config.groups !== queue.config.groups)
      throw new KirokuError('InvalidConfig', 'groups are set when the queue is created, and stay as they are')
    if (config.erasable !== queue.config.erasable)
      throw new KirokuError(
        'InvalidConfig',
        'what can be erased is set when the queue is created, and stays as it is',
      )
    refuseOwnDeadLetter(turn.state.partition, queue.id, queue.name, config)
    refuseParts(config, queue.share.of)
    const noted = notedEvent(turn.state, queue, c)
    if (c.dryRun === true) return turn.ok(token, { queue: queue.id, ...notedOf(c) })
    if (applied !== undefined || !sameConfig(queue.config, config))
      turn.emit({
        type: 'QueueConfigured',
        queue: queue.id,
        config: { ...config },
        ...(applied === undefined ? {} : { applied }),
        by: c.by,
      })
    if (noted !== undefined) turn.emit(noted)
    readdressHeld(turn, queue)
    okWhenFollowed(turn, queue, token, { queue: queue.id, ...notedOf(c) })
  })

export const refuseOwnDeadLetter = (
  partition: number,
  queue: number,
  name: string,
  config: QueueConfig,
): void => {
  const dlq = config.deadLetter
  if (dlq !== null && (dlq.name === name || (dlq.partition === partition && dlq.queue === queue)))
    throw new KirokuError('InvalidConfig', `queue "${name}" cannot be its own dead-letter queue`)
}

const checkApplied = (applied: AppliedSection | undefined): void => {
  const max = limits.appliedCharactersMax
  if (applied !== undefined && (applied.source.length > max || applied.digest.length > max))
    throw new KirokuError('InvalidArgument', `a source and its digest have up to ${max} characters each`)
}

export const sameConfig = (a: object, b: object): boolean =>
  JSON.stringify(canonical(a)) === JSON.stringify(canonical(b))

/** Deletes a queue with everything in it, unless others here need it; its receives end with `UnknownQueue`. */
export const decideDeleteQueue = <B>(turn: Turn<B>, c: CommandOf<'DeleteQueue'>, token: number): void =>
  orRefuse(turn, token, () => {
    const queue = homeQueue(turn, c.queue, token)
    if (queue === undefined) return
    const { name } = queue
    if (c.force !== true)
      refuseNamed(
        name,
        turn.own.namersOf(name).map((namer) => namer.name),
      )
    deleteQueue(turn, queue, c.by, token)
  })

const deleteQueue = <B>(turn: Turn<B>, queue: QueueState, by: Actor, token: number): void => {
  const deleted = new KirokuError('UnknownQueue', `queue "${queue.name}" was deleted`)
  for (const sub of queue.subs) refusePolls(turn, sub, deleted)
  // Its parts will not follow what was decided before any more.
  for (const { token: waiting } of turn.own.progressOf(queue).awaiting) turn.refuse(waiting, deleted)
  turn.emit({ type: 'QueueDeleted', queue: queue.id, by })
  endLanes(turn, queue.id)
  okWhenGone(turn, queue.id, token)
}

/** Answers as soon as the parts of the deleted queue are gone. */
const okWhenGone = <B>(turn: Turn<B>, queue: number, token: number): void => {
  const { state } = turn
  if (!state.leaving.some((part) => part.queue === queue)) return turn.ok(token, { queue })
  turn.own.awaitingGone.push({ token, queue, ok: { queue } })
}

/** Ends the waiting receives of a subscription that goes away. */
export const refusePolls = <B>(turn: Turn<B>, sub: Subscription, error: KirokuError): void => {
  turn.own.of(sub).eachWaiting((poll) => {
    endPoll(turn.own, poll)
    turn.refuse(poll.token, error)
  })
}

/** Discards everything that is in the queue now, delayed and inflight included. */
export const decidePurgeQueue = <B>(turn: Turn<B>, c: CommandOf<'PurgeQueue'>, token: number): void => {
  const queue = homeQueue(turn, c.queue, token)
  if (queue === undefined) return
  const soon = soonAfter('QueuePurgedRecently', turn, queue.purgedAt, c)
  if (soon !== undefined) return turn.refuse(token, soon)
  const purged = messagesIn(queue)
  // What parts have shows when they follow.
  if (purged > 0 || queue.share.of > 1 || turn.state.dedup.of(queue) !== undefined)
    turn.emit({ type: 'QueuePurged', queue: queue.id, upTo: queue.nextNumber, by: c.by })
  okWhenFollowed(turn, queue, token, { purged })
}

/** Why something is refused that is asked too soon after what was done at `at`; undefined: it is not. */
const soonAfter = <B>(
  id: 'QueueDeletedRecently' | 'QueuePurgedRecently',
  { now }: Turn<B>,
  at: number | undefined,
  { queue, pauseMs = 0 }: { readonly queue: string; readonly pauseMs?: number },
): KirokuError | undefined => {
  const leftMs = at === undefined || at === 0 ? 0 : Math.ceil(at + pauseMs - now)
  if (leftMs <= 0) return undefined
  const done = id === 'QueueDeletedRecently' ? 'deleted' : 'purged'
  return new KirokuError(id, `queue "${queue}" was ${done} within the last ${inTime(pauseMs)}`, {
    retryAfterMs: leftMs,
  })
}

/** Messages of a queue that are not final. */
export const messagesIn = (q: QueueState): number => q.subs.reduce((sum, sub) => sum + sub.live, q.delayed)

/** Stops or resumes deliveries; sends go on. Resuming ends holds, too. */
export const decidePause = <B>(
  turn: Turn<B>,
  c: CommandOf<'PauseDelivery'> | CommandOf<'ResumeDelivery'>,
  token: number,
): void => {
  const paused = c.type === 'PauseDelivery'
  const type = paused ? 'DeliveryPaused' : 'DeliveryResumed'
  if (c.subscription === undefined) {
    const queue = homeQueue(turn, c.queue, token)
    if (queue === undefined) return
    const isHeld = !paused && queue.subs.some((sub) => sub.holdAt(turn.now) !== undefined)
    if (isHeld || queue.deliveryPaused !== paused) turn.emit({ type, queue: queue.id, by: c.by })
    return okWhenFollowed(turn, queue, token, { queue: queue.id })
  }
  const sub = homeSubscription(turn, c.queue, c.subscription, token)
  if (sub === undefined) return
  const isHeld = !paused && sub.holdAt(turn.now) !== undefined
  if (isHeld || sub.deliveryPaused !== paused) turn.emit({ type, queue: sub.queue.id, sub: sub.id, by: c.by })
  okWhenFollowed(turn, sub.queue, token, { queue: sub.queue.id })
}
