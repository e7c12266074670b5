import { type Member, planPlacement, type PlacementView } from './planPlacement.ts'

/**
 * The standby of each partition: the node that gets it next. For a partition that is about to move, that is its destination; for any
 * other, the node that the plan would choose if the owner died, which keeps the shares even after a death. A node that already follows a
 * partition stays its standby where the shares allow. It is in another zone than the owner wherever there is a node that can take it.
 *
 * @returns an address per partition; undefined where no node can be its standby
 */
export const planStandbys = (
  view: PlacementView,
  plan: ReadonlyArray<string | undefined>,
): ReadonlyArray<string | undefined> => {
  const { partitions, members, holders } = view
  const standbys: Array<string | undefined> = Array.from({ length: partitions })
  const alive = new Set(members.map(({ address }) => address))
  const staying = new Map<string, number[]>()
  for (const [partition, to] of plan.entries()) {
    if (to === undefined) continue
    const owner = holders.get(partition)?.owner
    if (owner !== undefined && owner !== to && alive.has(owner)) standbys[partition] = to
    else staying.set(to, [...(staying.get(to) ?? []), partition])
  }
  const planned = new Map(
    plan.flatMap((owner, partition) =>
      owner === undefined ? [] : [[partition, { owner, isServing: true, next: undefined }]],
    ),
  )
  for (const [owner, its] of staying) {
    const without = planPlacement({ ...view, members: withoutOwner(members, owner), holders: planned })
    for (const partition of its) standbys[partition] = without[partition]
  }
  const following = new Set(
    members.flatMap(({ address, follows }) => (follows === undefined ? [] : [address])),
  )
  return standbys.map((address) => (address !== undefined && following.has(address) ? address : undefined))
}

/** The nodes after an owner's death; where there are zones, only those of others are given anything. */
const withoutOwner = (members: readonly Member[], owner: string): readonly Member[] => {
  const others = members.filter(({ address }) => address !== owner)
  const zone = members.find(({ address }) => address === owner)?.zone
  if (!zone) return others
  const isElsewhere = (member: Member): boolean => Boolean(member.zone) && member.zone !== zone
  const canFollow = ({ weight = 0, isLeaving, follows }: Member): boolean =>
    weight > 0 && !isLeaving && follows !== undefined
  if (!others.some((member) => isElsewhere(member) && canFollow(member))) return others
  return others.map((member) => (isElsewhere(member) ? member : { ...member, weight: undefined }))
}
