import {
  checkNewName,
  checkSubscription,
  type CommandOf,
  KirokuError,
  limits,
  type LogEventOf,
} from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { readdressHeld } from '../forward/decideForwarded.ts'
import { homeQueue, homeSubscription } from '../lookup.ts'
import { orRefuse } from '../orRefuse.ts'
import { refuseOwnDeadLetter, refusePolls, sameConfig } from '../queue/decideQueue.ts'
import { okWhenFollowed, refuseParts } from '../spread/decideHome.ts'
import type { Subscription } from '../state/QueueState.ts'
import { beginning, type Located } from './start.ts'

/** Opens a subscription; an equal one that is there already is no error. */
export const decideCreateSubscription = <B>(
  turn: Turn<B>,
  c: CommandOf<'CreateSubscription'>,
  token: number,
  located?: Located,
): void =>
  orRefuse(turn, token, () => {
    const queue = homeQueue(turn, c.queue, token)
    if (queue === undefined) return
    checkNewName(c.subscription)
    const settings = checkSubscription(queue.config, {}, c.settings)
    refuseOwnDeadLetter(turn.state.partition, queue.id, queue.name, { ...queue.config, ...settings })
    refuseParts({ ...queue.config, ...settings }, queue.share.of)
    const existing = queue.named(c.subscription)
    if (existing !== undefined) {
      if (!sameConfig(existing.settings, settings))
        throw new KirokuError(
          'SubscriptionExists',
          `subscription "${c.subscription}" of queue "${c.queue}" is there already, with other settings`,
        )
      return okWhenFollowed(turn, queue, token, { queue: queue.id, sub: existing.id, created: false })
    }
    if (queue.subs.length >= limits.subscriptionsPerQueueMax)
      throw new KirokuError(
        'LimitReached',
        `the queue has its ${limits.subscriptionsPerQueueMax} subscriptions already`,
      )
    const sub = queue.nextSub
    const begin = beginning(turn, queue, c.start, located)
    if (c.dryRun === true) return turn.ok(token, { queue: queue.id, sub, created: true })
    turn.emit({
      type: 'SubscriptionCreated',
      queue: queue.id,
      sub,
      name: c.subscription,
      settings: { ...settings },
      ...begin,
      by: c.by,
    })
    okWhenFollowed(turn, queue, token, { queue: queue.id, sub, created: true })
  })

/** Changes settings of a subscription; what is not named stays. */
export const decideConfigureSubscription = <B>(
  turn: Turn<B>,
  c: CommandOf<'ConfigureSubscription'>,
  token: number,
): void =>
  orRefuse(turn, token, () => {
    const sub = homeSubscription(turn, c.queue, c.subscription, token)
    if (sub === undefined) return
    const { queue } = sub
    const settings = checkSubscription(queue.config, sub.settings, c.settings)
    refuseOwnDeadLetter(turn.state.partition, queue.id, queue.name, { ...queue.config, ...settings })
    refuseParts({ ...queue.config, ...settings }, queue.share.of)
    if (c.dryRun === true) return turn.ok(token, { queue: queue.id, sub: sub.id })
    if (!sameConfig(sub.settings, settings))
      turn.emit({
        type: 'SubscriptionConfigured',
        queue: queue.id,
        sub: sub.id,
        settings: { ...settings },
        by: c.by,
      })
    readdressHeld(turn, queue)
    okWhenFollowed(turn, queue, token, { queue: queue.id, sub: sub.id })
  })

/** Begins a new generation of a subscription; the one before ends with all its messages. */
export const decideResetSubscription = <B>(
  turn: Turn<B>,
  c: CommandOf<'ResetSubscription'>,
  token: number,
  located?: Located,
): void =>
  orRefuse(turn, token, () => {
    const before = homeSubscription(turn, c.queue, c.subscription, token)
    if (before === undefined) return
    const { queue } = before
    if (c.sub !== undefined && c.sub !== before.id)
      return okWhenFollowed(turn, queue, token, { queue: queue.id, sub: before.id })
    const sub = queue.nextSub
    resetSubscription(turn, before, {
      type: 'SubscriptionReset',
      queue: queue.id,
      name: before.name,
      sub,
      ...beginning(turn, queue, c.start, located),
      by: c.by,
    })
    okWhenFollowed(turn, queue, token, { queue: queue.id, sub })
  })

/** Records the reset; receives that wait go on with the new generation. */
export const resetSubscription = <B>(
  turn: Turn<B>,
  before: Subscription,
  event: LogEventOf<'SubscriptionReset'>,
): void => {
  const { own } = turn
  const receives = own.of(before)
  turn.emit(event)
  const after = before.queue.named(event.name)!
  own.of(after).takeOver(receives, after)
  own.look(after)
}

/** Deletes a subscription with everything that is its own; the others stay as they are. */
export const decideDeleteSubscription = <B>(
  turn: Turn<B>,
  c: CommandOf<'DeleteSubscription'>,
  token: number,
): void => {
  const sub = homeSubscription(turn, c.queue, c.subscription, token)
  if (sub === undefined) return
  refusePolls(
    turn,
    sub,
    new KirokuError('UnknownSubscription', `subscription "${sub.name}" of queue "${c.queue}" was deleted`),
  )
  turn.emit({ type: 'SubscriptionDeleted', queue: sub.queue.id, sub: sub.id, by: c.by })
  okWhenFollowed(turn, sub.queue, token, { queue: sub.queue.id, sub: sub.id })
}
