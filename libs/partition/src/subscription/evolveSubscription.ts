import { KirokuError, type LogEventOf, type SubscriptionSettings } from '@kiroku/protocol'
import { queueOf, subOf } from '../eventTargets.ts'
import { begin } from '../past/evolveFill.ts'
import { revise } from '../spread/evolveSpread.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { dropSubscription } from '../store/dropRuns.ts'

export const open = (
  state: PartitionState,
  queue: QueueState,
  id: number,
  name: string,
  settings: SubscriptionSettings,
): Subscription => {
  let index = state.subscriptions.indexOf(undefined)
  if (index < 0) index = state.subscriptions.length
  const sub = queue.open(index, id, name, settings)
  state.subscriptions[index] = sub
  state.watcher?.opened(sub)
  return sub
}

export const subscriptionCreated = (state: PartitionState, e: LogEventOf<'SubscriptionCreated'>): void => {
  const queue = queueOf(state, e.queue)
  begin(state, open(state, queue, e.sub, e.name, e.settings as SubscriptionSettings), e)
  revise(state, queue)
}

export const subscriptionConfigured = (
  state: PartitionState,
  e: LogEventOf<'SubscriptionConfigured'>,
): void => {
  const sub = subOf(state, e.queue, e.sub)
  sub.configure(e.settings as SubscriptionSettings)
  state.watcher?.configured(sub)
  revise(state, sub.queue)
}

/** A new generation takes the place of the one before. */
export const subscriptionReset = (state: PartitionState, e: LogEventOf<'SubscriptionReset'>): void => {
  const queue = queueOf(state, e.queue)
  const before = queue.named(e.name)
  if (before === undefined)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} resets subscription "${e.name}", which is not there`,
    )
  dropSubscription(state, before)
  const sub = open(state, queue, e.sub, e.name, before.settings)
  begin(state, sub, e)
  sub.deliveryPaused = before.deliveryPaused
  sub.hold = before.hold
  if (sub.hold !== undefined) state.holds.add(sub)
  revise(state, queue)
}

export const subscriptionDeleted = (state: PartitionState, e: LogEventOf<'SubscriptionDeleted'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  dropSubscription(state, sub)
  sub.queue.subs.splice(sub.queue.subs.indexOf(sub), 1)
  revise(state, sub.queue)
}
