/** A node as the plan sees it. */
export interface Member {
  readonly address: string
  /** Its machine, which pins name. */
  readonly host: string
  /** Where it stands, so that a standby stands elsewhere; empty: it does not say. Undefined: its version knows neither zones nor pins. */
  readonly zone: string | undefined
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
  /** The hosts of partitions that stay on one. */
  readonly pins: ReadonlyMap<number, string>
}

/** A partition that its owner should hand over now. */
export interface Move {
  readonly partition: number
  readonly from: string
  readonly to: string
}

/** A node that partitions are given to, and the bounds of what it should hold beside those that are pinned to it. */
interface Taker {
  readonly address: string
  readonly follows: ReadonlySet<number> | undefined
  readonly held: readonly number[]
  /** Whole partitions of its share; what remains goes to some takers, one each. */
  readonly floor: number
  /** What its share is above that; only who has such a rest may get one more. */
  readonly remainder: number
  /** Whether one more would spare a load. */
  readonly isLoaded: boolean
}

/** How many partitions each taker should hold: within one of its share, and where possible as many as it has. */
const quotas = (takers: readonly Taker[], partitions: number): ReadonlyMap<string, number> => {
  let extras = partitions - takers.reduce((sum, { floor }) => sum + floor, 0)
  const byClaim = takers.toSorted(
    (a, b) =>
      Number(b.remainder > 0) - Number(a.remainder > 0) ||
      Number(b.held.length > b.floor) - Number(a.held.length > a.floor) ||
      Number(b.isLoaded) - Number(a.isLoaded) ||
      b.remainder - a.remainder ||
      (a.address < b.address ? -1 : 1),
  )
  return new Map(byClaim.map(({ address, floor }) => [address, extras-- > 0 ? floor + 1 : floor]))
}

/** A node that has a share. */
type Sharer = Pick<Member, 'address' | 'host' | 'follows'> & { readonly weight: number }

/** The nodes that have a share, by address. Where all would rather hold none, they share what there is. */
const sharersOf = (members: readonly Member[]): readonly Sharer[] => {
  const able = members
    .flatMap((member): (Member & Sharer)[] => {
      const { isLeaving, weight } = member
      return isLeaving || weight === undefined ? [] : [{ ...member, weight }]
    })
    .sort((a, b) => (a.address < b.address ? -1 : 1))
  const heavy = able.filter(({ weight }) => weight > 0)
  return heavy.length > 0 ? heavy : able.map((member) => ({ ...member, weight: 1 }))
}

/** The node of each pinned partition whose host has one: the one that holds it, or the first. */
const pinnedOf = (
  { pins, holders }: PlacementView,
  sharers: readonly Sharer[],
): ReadonlyMap<number, string> => {
  const pinned = new Map<number, string>()
  for (const [partition, host] of pins) {
    const there = sharers.filter((sharer) => sharer.host === host)
    const owner = holders.get(partition)?.owner
    const node = there.find(({ address }) => address === owner) ?? there[0]
    if (node !== undefined) pinned.set(partition, node.address)
  }
  return pinned
}

/**
 * Which node each partition should be on: pinned ones on their host, shares as even as they can be beside that, and no partition moves
 * that need not. A plan that is carried out step by step stays the same plan. Pins count once every node heeds them: nodes that
 * planned differently could leave a free partition to each other.
 *
 * @returns an address a partition; undefined where no node can take it
 */
export const planPlacement = (view: PlacementView): ReadonlyArray<string | undefined> => {
  const { partitions, members, holders } = view
  const plan: Array<string | undefined> = Array.from({ length: partitions })
  const byAddress = new Map(members.map((member) => [member.address, member]))
  const isHeeded = members.every(({ zone }) => zone !== undefined)
  const sharers = sharersOf(members)
  const pinned: ReadonlyMap<number, string> = isHeeded ? pinnedOf(view, sharers) : new Map()
  const held = new Map<string, number[]>()
  const pinnedTo = new Map<string, number>()
  const free: number[] = []
  for (let partition = 0; partition < partitions; partition++) {
    const owner = byAddress.get(holders.get(partition)?.owner ?? '')
    const to = pinned.get(partition)
    if (owner?.weight === undefined && owner?.isLeaving === false) plan[partition] = owner.address
    else if (to !== undefined) {
      plan[partition] = to
      pinnedTo.set(to, (pinnedTo.get(to) ?? 0) + 1)
    } else if (owner === undefined || owner.isLeaving) free.push(partition)
    else held.set(owner.address, [...(held.get(owner.address) ?? []), partition])
  }
  const pinsOf = ({ address }: Pick<Sharer, 'address'>) => pinnedTo.get(address) ?? 0
  const unpinned = free.length + [...held.values()].reduce((sum, each) => sum + each.length, 0)
  const { sharing, shared } = beyondPins(sharers, unpinned, pinsOf)
  const weights = sharing.reduce((sum, { weight }) => sum + weight, 0)
  const takers = sharing.map((sharer): Taker => {
    const { address, follows, weight } = sharer
    const claim = shared * weight
    return {
      address,
      follows,
      held: held.get(address) ?? [],
      floor: Math.floor(claim / weights) - pinsOf(sharer),
      remainder: claim % weights,
      isLoaded: isHeeded && free.some((partition) => follows?.has(partition) === true),
    }
  })
  if (takers.length === 0) return plan
  const quota = quotas(takers, unpinned)
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
 * The nodes whose share is above what is pinned to them, and the partitions that they share, pinned ones included: a node with more pins
 * than that gets nothing else, and the others divide the rest.
 */
const beyondPins = (
  sharers: readonly Sharer[],
  unpinned: number,
  pinsOf: (sharer: Sharer) => number,
): { readonly sharing: readonly Sharer[]; readonly shared: number } => {
  let sharing = sharers
  for (;;) {
    const weights = sharing.reduce((sum, { weight }) => sum + weight, 0)
    const shared = sharing.reduce((sum, sharer) => sum + pinsOf(sharer), unpinned)
    const below = sharing.filter((sharer) => pinsOf(sharer) * weights <= shared * sharer.weight)
    if (below.length === sharing.length) return { sharing, shared }
    sharing = below
  }
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
