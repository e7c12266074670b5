/** A node as the plan sees it. */
export interface Member {
  readonly address: string
  /**
   * Its share of the partitions, relative to the others', a whole number; 0 takes none as long as another can.
   * Undefined: a node of an earlier version, which places by rules of its own, keeps what it holds, and is given nothing.
   */
  readonly weight: number | undefined
  /** It hands over what it holds. */
  readonly isLeaving: boolean
  /** The partitions of others that it has loaded and follows; undefined: it follows none, by its setting or its version. */
  readonly follows: ReadonlySet<number> | undefined
}

/** Who holds a partition's lock. */
export interface Holder {
  readonly owner: string
  /** Its owner answers for it; until then it is on its way. */
  readonly isServing: boolean
  /** Where its owner is handing it over to. */
  readonly next: string | undefined
}

/** Everything a placement depends on. The same view gives the same plan on every node. */
export interface PlacementView {
  readonly partitions: number
  /** Nodes that are alive. */
  readonly members: readonly Member[]
  /** By partition; a lock whose owner is not a member counts as free. */
  readonly holders: ReadonlyMap<number, Holder>
}

/** A partition that its owner should hand over now. */
export interface Move {
  readonly partition: number
  readonly from: string
  readonly to: string
}

/** A node that partitions are given to, and the bounds of what it should hold. */
interface Taker {
  readonly address: string
  readonly follows: ReadonlySet<number> | undefined
  readonly held: number[]
  /** Whole partitions of its share; what remains goes to some takers, one each. */
  readonly floor: number
  /** What its share is above that; only who has such a rest may get one more. */
  readonly remainder: number
}

/** How many partitions each taker should hold: within one of its share, and where possible as many as it has. */
const quotas = (takers: readonly Taker[], partitions: number): ReadonlyMap<string, number> => {
  let extras = partitions - takers.reduce((sum, { floor }) => sum + floor, 0)
  const byClaim = takers.toSorted(
    (a, b) =>
      Number(b.remainder > 0) - Number(a.remainder > 0) ||
      Number(b.held.length > b.floor) - Number(a.held.length > a.floor) ||
      b.remainder - a.remainder ||
      (a.address < b.address ? -1 : 1),
  )
  return new Map(byClaim.map(({ address, floor }) => [address, extras-- > 0 ? floor + 1 : floor]))
}

/**
 * Which node each partition should be on: shares as even as they can be, and no partition moves that need not. A plan
 * that is carried out step by step stays the same plan.
 *
 * @returns an address a partition; undefined where no node can take it
 */
export const planPlacement = ({
  partitions,
  members,
  holders,
}: PlacementView): ReadonlyArray<string | undefined> => {
  const plan: Array<string | undefined> = Array.from({ length: partitions })
  const byAddress = new Map(members.map((member) => [member.address, member]))
  const held = new Map<string, number[]>()
  const free: number[] = []
  for (let partition = 0; partition < partitions; partition++) {
    const owner = byAddress.get(holders.get(partition)?.owner ?? '')
    if (owner === undefined || owner.isLeaving) free.push(partition)
    else if (owner.weight === undefined) plan[partition] = owner.address
    else held.set(owner.address, [...(held.get(owner.address) ?? []), partition])
  }
  const able = members
    .filter(({ isLeaving, weight }) => !isLeaving && weight !== undefined)
    .sort((a, b) => (a.address < b.address ? -1 : 1))
  // Where all would rather hold none, they share what there is.
  const isReserve = able.every(({ weight }) => weight === 0)
  const weightOf = ({ weight = 0 }: Member) => (isReserve ? 1 : weight)
  const weights = able.reduce((sum, member) => sum + weightOf(member), 0)
  const shared = free.length + [...held.values()].reduce((sum, each) => sum + each.length, 0)
  const takers = able.flatMap((member): Taker[] => {
    const { address, follows } = member
    const claim = shared * weightOf(member)
    if (claim === 0) return []
    return [
      {
        address,
        follows,
        held: held.get(address) ?? [],
        floor: Math.floor(claim / weights),
        remainder: claim % weights,
      },
    ]
  })
  if (takers.length === 0) return plan
  const quota = quotas(takers, shared)
  for (const [address, each] of held) {
    const kept = quota.get(address) ?? 0
    for (const partition of each.slice(0, kept)) plan[partition] = address
    free.push(...each.slice(kept))
  }
  free.sort((a, b) => a - b)
  const wanted = new Map(takers.map(({ address, held: its }) => [address, quota.get(address)! - its.length]))
  const give = (partition: number, { address }: Taker): void => {
    plan[partition] = address
    wanted.set(address, wanted.get(address)! - 1)
  }
  const wants = ({ address }: Taker): boolean => wanted.get(address)! > 0
  for (const partition of free) {
    const follower = takers.find((taker) => taker.follows?.has(partition) === true && wants(taker))
    if (follower !== undefined) give(partition, follower)
  }
  // Block by block, so that what has arrived does not change where the rest goes.
  for (const partition of free)
    if (plan[partition] === undefined) {
      const taker = takers.find(wants)
      if (taker !== undefined) give(partition, taker)
    }
  return plan
}

/**
 * The standby of each partition: the node that gets it next. For a partition that is about to move, that is its destination; for any
 * other, the node that the plan would choose if the owner died, which keeps the shares even after a death. A node that already follows a
 * partition stays its standby where the shares allow.
 *
 * @returns an address per partition; undefined where no node can be its standby
 */
export const planStandbys = (
  { partitions, members, holders }: PlacementView,
  plan: ReadonlyArray<string | undefined>,
): ReadonlyArray<string | undefined> => {
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
    const others = members.filter(({ address }) => address !== owner)
    const without = planPlacement({ partitions, members: others, holders: planned })
    for (const partition of its) standbys[partition] = without[partition]
  }
  const following = new Set(
    members.flatMap(({ address, follows }) => (follows === undefined ? [] : [address])),
  )
  return standbys.map((address) => (address !== undefined && following.has(address) ? address : undefined))
}

/**
 * The partitions that their owners should begin to hand over now, so that of no node, giving or taking, more than
 * `onTheWayMax` partitions are without an answer at once.
 */
export const nextMoves = (
  { members, holders, partitions }: PlacementView,
  plan: ReadonlyArray<string | undefined>,
  onTheWayMax: number,
): ReadonlyArray<Move> => {
  const alive = new Set(members.map(({ address }) => address))
  const busy = new Map<string, number>()
  const count = (address: string | undefined) => {
    if (address !== undefined) busy.set(address, (busy.get(address) ?? 0) + 1)
  }
  const candidates: Move[] = []
  for (let partition = 0; partition < partitions; partition++) {
    const holder = holders.get(partition)
    const to = plan[partition]
    if (holder === undefined || !alive.has(holder.owner)) count(to)
    else if (holder.next !== undefined) {
      count(holder.owner)
      count(holder.next)
    } else if (!holder.isServing) count(holder.owner)
    else if (to !== undefined && to !== holder.owner) candidates.push({ partition, from: holder.owner, to })
  }
  const isFree = (address: string) => (busy.get(address) ?? 0) < onTheWayMax
  return candidates.filter(({ from, to }) => {
    if (!isFree(from) || !isFree(to)) return false
    count(from)
    count(to)
    return true
  })
}
