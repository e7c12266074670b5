import { firstPlace, type GroupDescription, State } from '@kiroku/protocol'
import type { Group } from '../groups/Group.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'

/** Describes the groups of a subscription: those that are held up first, then by what they have waiting; `max` at most. */
export const describeGroups = (
  state: PartitionState,
  sub: Subscription,
  max: number,
): { readonly groups: GroupDescription[]; readonly total: number } => {
  const groups: GroupDescription[] = []
  if (sub.groups === undefined) return { groups, total: 0 }
  for (const group of sub.groups.all()) {
    const description = describeGroup(state, group)
    if (groups.length >= max && !isAhead(description, groups[max - 1]!)) continue
    const place = firstPlace(groups.length, (i) => isAhead(description, groups[i]!))
    groups.splice(place, 0, description)
    if (groups.length > max) groups.pop()
  }
  return { groups, total: sub.groups.size }
}

const isAhead = (a: GroupDescription, b: GroupDescription): boolean => {
  const [isHeld, isOtherHeld] = [a.blockedBy !== undefined, b.blockedBy !== undefined]
  return isHeld === isOtherHeld ? a.waiting > b.waiting : isHeld
}

/** What waits ahead of the message that blocks a group can go out; only what is behind it is held up. */
const describeGroup = ({ live }: PartitionState, group: Group): GroupDescription => {
  let ahead = 0
  let behind = group.ready
  let blockedBy: GroupDescription['blockedBy']
  for (let place = group.first; place !== 0; place = live.groupLinks.next(place)) {
    const slot = place - 1
    const state = live.state[slot]
    if (state !== State.Available)
      blockedBy ??= {
        number: live.number[slot]!,
        state: state === State.Inflight ? 'Inflight' : 'WaitingRetry',
        attempt: live.attempt[slot]!,
        until: live.deadline[slot]!,
      }
    else if (blockedBy === undefined) ahead++
    else behind++
  }
  return {
    group: group.key,
    waiting: ahead + behind,
    inflight: group.inflight,
    ...(blockedBy === undefined || behind === 0 ? undefined : { blockedBy }),
  }
}
