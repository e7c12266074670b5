import { State } from '@kiroku/protocol'
import type { Taking } from '../receive/DeliveryBuilder.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'
import type { Group } from './Group.ts'
import type { Groups } from './Groups.ts'

/** From this many messages in flight on, a tenant with more than its share is a noisy one. */
const noisyInflightMin = 30
/** The share of what is in flight. */
const noisyShare = 0.1
/** A tenant from which nothing came for so long is quiet again. */
const quietAfterMs = 5 * 60_000

/** Takes messages group by group, in the order of their turn. The facts of the delivery give those that were served their next turn. */
export const takeGroups = <B>(state: PartitionState, sub: Subscription, taking: Taking<B>): void => {
  if (sub.groups!.isOrdered) takeInOrder(state, sub.groups!, taking)
  else takeFairly(state, sub, sub.groups!, taking)
}

/** Takes messages of one group only, in their order. Returns whether any went out or was found to be over. */
export const takeGroup = <B>({ live, runs }: PartitionState, group: Group, taking: Taking<B>): boolean => {
  let any = false
  let goOn = true
  let place = group.first
  for (; place !== 0 && goOn; place = live.groupLinks.next(place)) {
    goOn = live.state[place - 1] === State.Available && taking.live(place - 1) !== 'full'
    any ||= goOn
  }
  let isFirst = true
  for (let run = group.readyHead; run !== 0 && goOn; run = runs.next(run)) {
    const next = taking.run(run, 0, runs.count(run), isFirst)
    goOn = next === runs.count(run)
    any ||= next > 0
    isFirst = false
  }
  return any
}

const takeInOrder = <B>(state: PartitionState, groups: Groups, taking: Taking<B>): void => {
  while (!taking.isFull) {
    const group = groups.next()
    if (group === undefined) return
    if (groups.isServable(group, state.live) && !takeGroup(state, group, taking)) groups.putBack(group)
  }
}

/** How far a delivery has gone into the messages of a tenant. */
interface Place {
  readonly group: Group
  /** The next of those that were delivered before, see `GroupLinks`; 0: none is left. */
  again: number
  run: number
  inRun: number
  /** Messages that went out or were found to be over. */
  taken: number
}

/** One message of each tenant in turn: the quiet ones first, then always the noisy one with the fewest in flight. */
const takeFairly = <B>(state: PartitionState, sub: Subscription, groups: Groups, taking: Taking<B>): void => {
  const { alone } = groups
  if (alone !== undefined && groups.isServable(alone, state.live))
    return takeAlone(state, sub, groups, alone, taking)
  const quiet: Place[] = []
  const noisy: Place[] = []
  // The first round is had while the row is gone through: of a million tenants a receive looks at those that it serves.
  for (const group of groups.row()) {
    if (taking.isFull) break
    if (!groups.isServable(group, state.live)) {
      groups.unqueue(group)
      continue
    }
    const place = { group, again: group.first, run: group.readyHead, inRun: 0, taken: 0 }
    if (isNoisy(state, sub, group)) noisy.push(place)
    else if (takeNext(state, place, taking) || place.taken > 0) quiet.push(place)
  }
  for (let i = 0; i < quiet.length && !taking.isFull; i++)
    if (takeNext(state, quiet[i]!, taking)) quiet.push(quiet[i]!)
  const rest = [...noisy]
  while (rest.length > 0 && !taking.isFull) {
    let least = rest[0]!
    for (const place of rest) if (inflightWith(place) < inflightWith(least)) least = place
    if (!takeNext(state, least, taking)) rest.splice(rest.indexOf(least), 1)
  }
  // Whatever becomes of what was taken, delivered or over, gives the group a new place while there is more of it.
  for (const { group, taken } of [...quiet, ...noisy]) if (taken > 0) groups.unqueue(group)
}

/** The same of one tenant, or where nobody names any: no turns, so that messages are taken by runs. */
const takeAlone = <B>(
  state: PartitionState,
  sub: Subscription,
  groups: Groups,
  group: Group,
  taking: Taking<B>,
): void => {
  // Whether it is noisy is known when another one comes.
  isNoisy(state, sub, group)
  if (takeGroup(state, group, taking)) groups.unqueue(group)
}

const inflightWith = ({ group, taken }: Place): number => group.inflight + taken

const isNoisy = ({ at }: PartitionState, sub: Subscription, group: Group): boolean => {
  if (group.inflight >= noisyInflightMin && group.inflight > sub.inflight * noisyShare) group.isNoisy = true
  else if (group.isNoisy && at - group.lastArrivalAt >= quietAfterMs) group.isNoisy = false
  return group.isNoisy
}

/** Takes the next message of a tenant; false when there is none that can be taken now. */
const takeNext = <B>({ live, runs }: PartitionState, place: Place, taking: Taking<B>): boolean => {
  while (place.again !== 0) {
    const took = taking.live(place.again - 1)
    if (took === 'full') return false
    place.again = live.groupLinks.next(place.again)
    place.taken++
    if (took === 'taken') return true
  }
  while (place.run !== 0 && place.inRun === runs.count(place.run)) {
    place.run = runs.next(place.run)
    place.inRun = 0
  }
  if (place.run === 0) return false
  const isFirst = place.run === place.group.readyHead && place.inRun === 0
  const next = taking.run(place.run, place.inRun, place.inRun + 1, isFirst)
  if (next === place.inRun) return false
  place.inRun = next
  place.taken++
  return true
}
