import { State } from '@kiroku/message'
import type { GroupDescription } from './Command.ts'
import type { Group } from './state/Groups.ts'
import type { PartitionState } from './state/PartitionState.ts'
import type { Subscription } from './state/Subscription.ts'

/** Describes the groups of a subscription: those that are held up first, then by what they have waiting; `max` at most. */
export const describeGroups = (
  state: PartitionState,
  sub: Subscription,
  max: number,
): { readonly groups: GroupDescription[]; readonly total: number } => {
  if (sub.groups === undefined) return { groups: [], total: 0 }
  const groups = [...sub.groups.byKey.values()].map((group) => describeGroup(state, sub, group))
  groups.sort(
    (a, b) => Number(b.blockedBy !== undefined) - Number(a.blockedBy !== undefined) || b.waiting - a.waiting,
  )
  return { groups: groups.slice(0, max), total: groups.length }
}

const describeGroup = ({ live }: PartitionState, sub: Subscription, group: Group): GroupDescription => {
  let waiting = group.ready
  let blockedBy: GroupDescription['blockedBy']
  for (const n of group.touched) {
    const slot = live.find(sub.index, n)
    const state = live.state[slot]
    if (state === State.Available) waiting++
    else if (sub.groups!.isOrdered)
      blockedBy ??= {
        number: n,
        state: state === State.Inflight ? 'Inflight' : 'WaitingRetry',
        attempt: live.attempt[slot]!,
        until: live.deadline[slot]!,
      }
  }
  return {
    group: group.key,
    waiting,
    inflight: group.inflight,
    ...(blockedBy === undefined || waiting === 0 ? undefined : { blockedBy }),
  }
}
