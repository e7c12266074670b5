import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Holder, type Member, nextMoves, planPlacement, type PlacementView } from './planPlacement.ts'

const onTheWayMax = 2

const member = (address: string, weight: number | undefined = 1): Member => ({
  address,
  host: `host of ${address}`,
  zone: '',
  weight,
  isLeaving: false,
  follows: undefined,
})
const heldBy = (owner: string, isServing = true): Holder => ({ owner, isServing, next: undefined })

const addresses = fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{6}$/), { minLength: 1, maxLength: 12 })
const partitionCount = fc.integer({ min: 1, max: 100 })

/** Partitions held by anybody: by members, by the dead, by nobody, being loaded or handed over. */
const anyView = fc
  .record({ nodes: addresses, partitions: partitionCount, seed: fc.infiniteStream(fc.nat(1_000_000)) })
  .map(({ nodes, partitions, seed }): PlacementView => {
    const next = (below: number) => (seed.next().value as number) % below
    const isUpgraded = next(3) > 0
    const members = nodes.map((address): Member => ({
      address,
      host: `host ${next(nodes.length)}`,
      zone: isUpgraded || next(3) > 0 ? '' : undefined,
      weight: [1, 1, 1, 2, 0, undefined][next(6)],
      isLeaving: next(5) === 0,
      follows:
        next(4) === 0
          ? undefined
          : new Set(Array.from({ length: partitions }, (_, p) => p).filter(() => next(3) === 0)),
    }))
    const owners = [...nodes, 'dead', undefined]
    const holders = new Map<number, Holder>()
    for (let partition = 0; partition < partitions; partition++) {
      const owner = owners[next(owners.length)]
      if (owner === undefined) continue
      const to = next(8) === 0 ? nodes[next(nodes.length)] : undefined
      holders.set(partition, { owner, isServing: next(4) > 0, next: to === owner ? undefined : to })
    }
    const pins = new Map<number, string>()
    for (let partition = 0; partition < partitions; partition++)
      if (next(6) === 0) pins.set(partition, `host ${next(nodes.length + 1)}`)
    return { partitions, members, holders, pins }
  })

/** The view once everything is where the plan has it. */
const carriedOut = (view: PlacementView): PlacementView => {
  const holders = new Map<number, Holder>()
  for (const [partition, owner] of planPlacement(view).entries())
    if (owner !== undefined) holders.set(partition, heldBy(owner))
  return { ...view, holders }
}

const countsOf = (plan: ReadonlyArray<string | undefined>, members: readonly Member[]) =>
  members.map(({ address }) => plan.filter((owner) => owner === address).length)

const moved = (before: PlacementView, plan: ReadonlyArray<string | undefined>) =>
  plan.filter((owner, partition) => owner !== before.holders.get(partition)?.owner).length

/** A cluster at rest, of equal nodes. */
const balanced = fc.record({ nodes: addresses, partitions: partitionCount }).map(({ nodes, partitions }) =>
  carriedOut({
    partitions,
    members: nodes.map((address) => member(address)),
    holders: new Map(),
    pins: new Map(),
  }),
)

describe('a plan', () => {
  test('is the same on every node, in whatever order it learnt of the others', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const reversed = {
          ...view,
          members: view.members.toReversed(),
          holders: new Map([...view.holders].reverse()),
        }
        expect(planPlacement(reversed)).toEqual(planPlacement(view))
      }),
    )
  })

  test('gives equal nodes counts at most one apart, whatever was before', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const members = view.members.map(({ address }) => member(address))
        const counts = countsOf(planPlacement({ ...view, members, pins: new Map() }), members)
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(view.partitions)
      }),
    )
  })

  test('gives every node its share by weight, to within one', () => {
    fc.assert(
      fc.property(anyView, fc.infiniteStream(fc.integer({ min: 0, max: 5 })), (view, weights) => {
        const members = view.members.map(({ address }) => member(address, weights.next().value as number))
        const sum = members.reduce((total, { weight = 0 }) => total + weight, 0)
        fc.pre(sum > 0)
        const counts = countsOf(planPlacement({ ...view, members, pins: new Map() }), members)
        for (const [index, { weight = 0 }] of members.entries()) {
          const share = (view.partitions * weight) / sum
          expect(Math.abs(counts[index]! - share)).toBeLessThan(weight === 0 ? 1e-9 : 1)
        }
      }),
    )
  })

  test('moves at most ⌈P/N⌉ partitions when a node joins, all of them to it', () => {
    fc.assert(
      fc.property(balanced, (view) => {
        const members = [...view.members, member('newcomer')]
        const plan = planPlacement({ ...view, members })
        expect(moved(view, plan)).toBeLessThanOrEqual(Math.ceil(view.partitions / members.length))
        expect(moved(view, plan)).toBe(plan.filter((owner) => owner === 'newcomer').length)
      }),
    )
  })

  test('moves only what a node held when it leaves or dies', () => {
    fc.assert(
      fc.property(balanced, fc.boolean(), (view, isLeaving) => {
        fc.pre(view.members.length > 1)
        const [gone, ...rest] = view.members
        const members = isLeaving ? [{ ...gone!, isLeaving }, ...rest] : rest
        const held = countsOf(planPlacement(view), [gone!])[0]!
        const plan = planPlacement({ ...view, members })
        expect(moved(view, plan)).toBe(held)
        expect(held).toBeLessThanOrEqual(Math.ceil(view.partitions / view.members.length))
        const counts = countsOf(plan, rest)
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('moves nothing once it is carried out', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const after = carriedOut(view)
        expect(moved(after, planPlacement(after))).toBe(0)
      }),
    )
  })

  test('leaves a node of an earlier version what it holds, and gives it nothing', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const plan = planPlacement(view)
        for (const { address, weight, isLeaving } of view.members)
          if (weight === undefined && !isLeaving)
            for (let partition = 0; partition < view.partitions; partition++)
              expect(plan[partition] === address).toBe(view.holders.get(partition)?.owner === address)
      }),
    )
  })
})

/** A cluster at rest, some of whose partitions are pinned to hosts that are there. */
const pinned = fc
  .tuple(balanced, fc.infiniteStream(fc.nat(1_000_000)))
  .map(([view, choices]): PlacementView => {
    const next = (below: number) => (choices.next().value as number) % below
    const pins = new Map<number, string>()
    for (let partition = 0; partition < view.partitions; partition++)
      if (next(3) === 0) pins.set(partition, view.members[next(view.members.length)]!.host)
    return carriedOut({ ...view, pins })
  })

/** Whether each pinned partition is where it should be, while its host has a node that is given any. */
const expectPinned = ({ pins, members }: PlacementView, plan: ReadonlyArray<string | undefined>) => {
  for (const [partition, host] of pins) {
    const there = members.filter((each) => each.host === host && !each.isLeaving && (each.weight ?? 0) > 0)
    if (there.length > 0) expect(there.map(({ address }) => address)).toContain(plan[partition])
  }
}

describe('a pinned partition', () => {
  test('stays when nodes join and leave', () => {
    fc.assert(
      fc.property(pinned, fc.nat(), (view, which) => {
        const joined = { ...view, members: [...view.members, member('newcomer')] }
        expectPinned(joined, planPlacement(joined))
        const left = { ...view, members: view.members.toSpliced(which % view.members.length, 1) }
        expectPinned(left, planPlacement(left))
      }),
    )
  })

  test('goes to its host, and moves nothing once it is there', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const upgraded = view.members.every(({ zone, weight }) => zone !== undefined && weight !== undefined)
        if (upgraded) expectPinned(view, planPlacement(view))
        const after = carriedOut(view)
        expect(moved(after, planPlacement(after))).toBe(0)
      }),
    )
  })

  test('counts in the share of its node: those below it are at most one apart', () => {
    fc.assert(
      fc.property(pinned, (view) => {
        const { members, pins } = view
        const counts = countsOf(planPlacement(view), members)
        const pinsOf = ({ host }: Member) => [...pins.values()].filter((each) => each === host).length
        const free = counts.filter((count, at) => count > pinsOf(members[at]!))
        const least = Math.min(...counts)
        for (const count of free) expect(count - least).toBeLessThanOrEqual(1)
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(view.partitions)
      }),
    )
  })

  test('leaves a join at most ⌈P/N⌉ moves, all of them to the newcomer', () => {
    fc.assert(
      fc.property(pinned, (view) => {
        const members = [...view.members, member('newcomer')]
        const plan = planPlacement({ ...view, members })
        expect(moved(view, plan)).toBeLessThanOrEqual(Math.ceil(view.partitions / members.length))
        expect(moved(view, plan)).toBe(plan.filter((owner) => owner === 'newcomer').length)
      }),
    )
  })

  test('moves like any other while a node knows no pins, or none is on its host', () => {
    fc.assert(
      fc.property(balanced, fc.boolean(), (view, isOld) => {
        const pins = new Map([...view.holders.keys()].map((partition) => [partition, view.members[0]!.host]))
        const changed = isOld
          ? { ...view, members: [...view.members, { ...member('newcomer'), zone: undefined }], pins }
          : { ...view, pins: new Map([...pins.keys()].map((partition) => [partition, 'elsewhere'])) }
        expect(planPlacement(changed)).toEqual(planPlacement({ ...changed, pins: new Map() }))
      }),
    )
  })
})

/** Lets what is on its way arrive, one step of one partition after the other, as `choose` says. */
const carryOut = (start: PlacementView, choose: (below: number) => number) => {
  let view = start
  const moves: string[] = []
  for (let steps = 0; steps < 10_000; steps++) {
    const plan = planPlacement(view)
    const next = nextMoves(view, plan, onTheWayMax)
    const set = (partition: number, holder: Holder | undefined) => () => {
      const holders = new Map(view.holders)
      if (holder === undefined) holders.delete(partition)
      else holders.set(partition, holder)
      view = { ...view, holders }
    }
    const possible: (() => void)[] = next.map(({ partition, from, to }) => () => {
      moves.push(`${partition} ${from}`)
      set(partition, { owner: from, isServing: true, next: to })()
    })
    for (let partition = 0; partition < view.partitions; partition++) {
      const holder = view.holders.get(partition)
      const to = plan[partition]
      if (holder === undefined && to !== undefined) possible.push(set(partition, heldBy(to, false)))
      else if (holder?.next !== undefined) possible.push(set(partition, undefined))
      else if (holder?.isServing === false) possible.push(set(partition, heldBy(holder.owner)))
    }
    if (possible.length === 0) return { view, moves }
    possible[choose(possible.length)]!()
    check(view)
  }
  throw new Error('it never ended')
}

/** Of no node more than two partitions are on their way. */
const check = ({ holders, members }: PlacementView) => {
  for (const { address } of members) {
    const onTheWay = [...holders.values()].filter(
      ({ owner, next, isServing }) =>
        (owner === address && (next !== undefined || !isServing)) || next === address,
    )
    expect(onTheWay.length).toBeLessThanOrEqual(onTheWayMax)
  }
}

test('a join carried out step by step moves no partition twice, and never more than two of a node at once', () => {
  fc.assert(
    fc.property(balanced, fc.infiniteStream(fc.nat(1_000_000)), (view, choices) => {
      const members = [...view.members, member('newcomer')]
      const { view: end, moves } = carryOut(
        { ...view, members },
        (below) => (choices.next().value as number) % below,
      )
      expect(new Set(moves).size).toBe(moves.length)
      expect(moves.length).toBeLessThanOrEqual(Math.ceil(view.partitions / members.length))
      const counts = countsOf(planPlacement(end), members)
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    }),
  )
})

test('a node that leaves hands over at most two partitions at once, each of them once', () => {
  fc.assert(
    fc.property(balanced, fc.infiniteStream(fc.nat(1_000_000)), (view, choices) => {
      fc.pre(view.members.length > 1)
      const [gone, ...rest] = view.members
      const members = [{ ...gone!, isLeaving: true }, ...rest]
      const held = countsOf(planPlacement(view), [gone!])[0]!
      const { moves } = carryOut({ ...view, members }, (below) => (choices.next().value as number) % below)
      expect(moves.length).toBe(held)
    }),
  )
})
