import {
  type Actor,
  type CommandOf,
  KirokuError,
  type PartSubscription,
  type PartTotals,
  type QueueAddress,
  requireKnown,
  requireKnownOwn,
} from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { endLanes } from '../forward/decideForwarded.ts'
import { orRefuse } from '../orRefuse.ts'
import { messagesIn, refusePolls, sameConfig } from '../queue/decideQueue.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import { resetSubscription } from '../subscription/decideSubscription.ts'
import { homeKey, type Place } from './Spread.ts'

/** Makes a part what its home says, and creates it where it is missing; what is older than what it follows changes nothing. */
export const decidePlacePart = <B>(turn: Turn<B>, c: CommandOf<'PlacePart'>, token: number): void =>
  orRefuse(turn, token, () => {
    // The owner of the home may be of a newer version.
    requireKnown(c.config, c.queue)
    for (const { name, settings } of c.subs) requireKnownOwn(settings, c.queue, name)
    placePart(turn, c, token)
  })

const placePart = <B>(turn: Turn<B>, c: CommandOf<'PlacePart'>, token: number): void => {
  const { state } = turn
  const existing = state.names.get(c.queue)
  const refusal = refusePlace(state, existing, c)
  if (refusal !== undefined) return turn.refuse(token, refusal)
  const by: Actor = { name: 'engine', origin: `home in partition ${c.home.partition}` }
  const isOurs = existing?.place?.home.queue === c.home.queue
  if (existing !== undefined && !isOurs) drop(turn, existing, by)
  if (!isOurs)
    turn.emit({
      type: 'QueueCreated',
      queue: state.nextQueue,
      name: c.queue,
      config: { ...c.config },
      by,
    })
  const queue = state.names.get(c.queue)!
  const before = queue.place
  const purged =
    before !== undefined && before.revision < c.revision && before.purges < c.purges ? messagesIn(queue) : 0
  if (before === undefined || before.revision < c.revision) {
    if (purged > 0) turn.emit({ type: 'QueuePurged', queue: queue.id, upTo: queue.nextNumber, by })
    follow(turn, queue, c, by)
  }
  const { revision, isOpen } = queue.place!
  const totals = isOpen || !isEmpty(state, queue) ? undefined : totalsOf(queue)
  turn.ok(token, { queue: queue.id, revision, purged, ...(totals === undefined ? undefined : { totals }) })
}

const refusePlace = (
  state: PartitionState,
  existing: QueueState | undefined,
  { queue, home, revision }: CommandOf<'PlacePart'>,
): KirokuError | undefined => {
  if ((state.left.get(homeKey(home)) ?? -1) >= revision)
    return new KirokuError('QueueMoved', `this part of "${queue}" was dropped`)
  if (existing !== undefined && existing.place === undefined)
    return new KirokuError('QueueExists', `there is a queue "${queue}" in this partition already`)
  if (existing !== undefined && existing.place!.home.queue > home.queue)
    return new KirokuError('QueueMoved', `this part of "${queue}" has a newer home`)
  return undefined
}

/** Records what the home has and the part has not, and how far that goes. */
const follow = <B>(turn: Turn<B>, queue: QueueState, c: CommandOf<'PlacePart'>, by: Actor): void => {
  const { id } = queue
  if (!sameConfig(queue.config, c.config))
    turn.emit({ type: 'QueueConfigured', queue: id, config: { ...c.config }, by })
  if (queue.deliveryPaused !== c.deliveryPaused)
    turn.emit({ type: c.deliveryPaused ? 'DeliveryPaused' : 'DeliveryResumed', queue: id, by })
  const wanted = new Set(c.subs.map((sub) => sub.name))
  for (const sub of queue.subs.filter(({ name }) => !wanted.has(name))) {
    refusePolls(
      turn,
      sub,
      new KirokuError('UnknownSubscription', `subscription "${sub.name}" of queue "${queue.name}" is gone`),
    )
    turn.emit({ type: 'SubscriptionDeleted', queue: id, sub: sub.id, by })
  }
  for (const sub of c.subs) followSubscription(turn, queue, sub, by)
  const { home, revision, since, isOpen, index, of, purges } = c
  const subs = Object.fromEntries(c.subs.map(({ name, sub }) => [name, sub]))
  const place: Place = { home, revision, since, isOpen, index, of, purges, subs }
  turn.emit({ type: 'PartPlaced', queue: id, ...place, subs })
}

const followSubscription = <B>(
  turn: Turn<B>,
  queue: QueueState,
  { name, sub: generation, settings, deliveryPaused }: PartSubscription,
  by: Actor,
): void => {
  const { id } = queue
  const before = queue.named(name)
  const known = queue.place && Object.hasOwn(queue.place.subs, name) ? queue.place.subs[name] : undefined
  const sub = before === undefined || (known ?? generation) !== generation ? queue.nextSub : before.id
  const from = queue.nextNumber
  if (before === undefined)
    turn.emit({ type: 'SubscriptionCreated', queue: id, sub, name, settings: { ...settings }, from, by })
  else if (sub !== before.id)
    resetSubscription(turn, before, { type: 'SubscriptionReset', queue: id, name, sub, from, by })
  const after = queue.named(name)!
  if (!sameConfig(after.settings, settings))
    turn.emit({ type: 'SubscriptionConfigured', queue: id, sub, settings: { ...settings }, by })
  if (after.deliveryPaused !== deliveryPaused)
    turn.emit({ type: deliveryPaused ? 'DeliveryPaused' : 'DeliveryResumed', queue: id, sub, by })
}

/** Nothing is there that anybody could still want of it. */
const isEmpty = (state: PartitionState, queue: QueueState): boolean => {
  if (messagesIn(queue) > 0) return false
  for (const lane of state.outbox.values())
    if (lane.source === queue.id && lane.entries.length > 0) return false
  return true
}

const totalsOf = (queue: QueueState): PartTotals => ({
  sent: queue.sent,
  subs: Object.fromEntries(
    queue.subs.map(({ name, entered, committed, deadLettered, discarded, redelivered }) => [
      name,
      { entered, committed, deadLettered, discarded, redelivered },
    ]),
  ),
})

/** Forgets a part; what its home said before that changes nothing any more. */
export const decideDropPart = <B>(turn: Turn<B>, c: CommandOf<'DropPart'>, token: number): void => {
  const { state } = turn
  const { home, revision } = c
  const queue = state.names.get(c.queue)
  const by: Actor = { name: 'engine', origin: `home in partition ${home.partition}` }
  if (queue?.place !== undefined && isSame(queue.place.home, home)) drop(turn, queue, by)
  if ((state.left.get(homeKey(home)) ?? -1) < revision) turn.emit({ type: 'PartLeft', home, revision })
  turn.ok(token, { revision })
}

const isSame = (a: QueueAddress, b: QueueAddress): boolean =>
  a.partition === b.partition && a.queue === b.queue

const drop = <B>(turn: Turn<B>, queue: QueueState, by: Actor): void => {
  for (const sub of queue.subs)
    refusePolls(turn, sub, new KirokuError('QueueMoved', `this part of "${queue.name}" is gone`))
  turn.emit({ type: 'QueueDeleted', queue: queue.id, by })
  endLanes(turn, queue.id)
}
