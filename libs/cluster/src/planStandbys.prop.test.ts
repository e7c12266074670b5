import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Holder, type Member, planPlacement, type PlacementView } from './planPlacement.ts'
import { planStandbys } from './planStandbys.ts'

const heldBy = (owner: string): Holder => ({ owner, isServing: true, next: undefined })

/** A cluster at rest, of nodes that are standbys and follow nothing yet. */
const atRest = fc
  .record({
    nodes: fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{6}$/), { minLength: 2, maxLength: 8 }),
    partitions: fc.integer({ min: 1, max: 60 }),
    weights: fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
  })
  .map(({ nodes, partitions, weights }) => {
    const members = nodes.map((address): Member => ({
      address,
      host: address,
      zone: '',
      weight: weights.next().value as number,
      isLeaving: false,
      follows: new Set(),
    }))
    return carriedOut({ partitions, members, holders: new Map(), pins: new Map() })
  })

/** The same, of nodes in up to three zones, some in none. */
const zoned = fc
  .tuple(atRest, fc.infiniteStream(fc.constantFrom('', 'a', 'b', 'c')))
  .map(([view, zones]) => ({
    ...view,
    members: view.members.map((member) => ({ ...member, zone: zones.next().value as string })),
  }))

/** The view once every partition is where the plan has it. */
const carriedOut = (view: PlacementView): PlacementView => ({
  ...view,
  holders: new Map(
    planPlacement(view).flatMap((owner, partition) =>
      owner === undefined ? [] : [[partition, heldBy(owner)]],
    ),
  ),
})

const standbysOf = (view: PlacementView) => planStandbys(view, planPlacement(view))

/** The view once every standby follows what it should. */
const followed = (view: PlacementView): PlacementView => {
  const standbys = standbysOf(view)
  const follows = (address: string) =>
    new Set(standbys.flatMap((standby, partition) => (standby === address ? [partition] : [])))
  return {
    ...view,
    members: view.members.map((member) => ({ ...member, follows: follows(member.address) })),
  }
}

const without = (view: PlacementView, gone: string): PlacementView => ({
  ...view,
  members: view.members.filter(({ address }) => address !== gone),
})

describe('the standby of a partition', () => {
  test('is a node that does not own it, wherever there are two', () => {
    fc.assert(
      fc.property(atRest, (view) => {
        for (const [partition, standby] of standbysOf(view).entries()) {
          expect(standby).toBeDefined()
          expect(standby).not.toBe(view.holders.get(partition)!.owner)
        }
      }),
    )
  })

  test('is the same on every node, in whatever order it learnt of the others', () => {
    fc.assert(
      fc.property(atRest, (rested) => {
        const view = followed(rested)
        const reversed = { ...view, members: view.members.toReversed() }
        expect(standbysOf(reversed)).toEqual(standbysOf(view))
      }),
    )
  })

  test('gets it when the owner dies, and all shares are even then', () => {
    fc.assert(
      fc.property(atRest, fc.nat(), (rested, which) => {
        const view = followed(rested)
        const standbys = standbysOf(view)
        const gone = view.members[which % view.members.length]!.address
        const plan = planPlacement(without(view, gone))
        for (const [partition, { owner }] of view.holders)
          expect(plan[partition]).toBe(owner === gone ? standbys[partition] : owner)
      }),
    )
  })

  test('is where it goes, while it is to move', () => {
    fc.assert(
      fc.property(atRest, (rested) => {
        const view = followed(rested)
        const newcomer: Member = {
          address: 'newcomer',
          host: 'newcomer',
          zone: '',
          weight: 1,
          isLeaving: false,
          follows: new Set(),
        }
        const joined = { ...view, members: [...view.members, newcomer] }
        const plan = planPlacement(joined)
        for (const [partition, standby] of standbysOf(joined).entries())
          if (plan[partition] !== view.holders.get(partition)!.owner) expect(standby).toBe(plan[partition])
      }),
    )
  })

  test('stays when every standby follows what it should, and when nodes that were its standby once still do', () => {
    fc.assert(
      fc.property(atRest, (view) => {
        const before = standbysOf(view)
        const after = followed(view)
        expect(standbysOf(after)).toEqual(before)
        expect(planPlacement(after)).toEqual(planPlacement(view))
      }),
    )
  })

  test('is in another zone than the owner, wherever a node there can take it', () => {
    fc.assert(
      fc.property(zoned, (view) => {
        const zoneOf = (address: string) => view.members.find((member) => member.address === address)!.zone!
        for (const each of [view, followed(view)])
          for (const [partition, standby] of standbysOf(each).entries()) {
            const zone = zoneOf(each.holders.get(partition)!.owner)
            const isElsewhere = (other: string) => zone !== '' && other !== '' && other !== zone
            const canBe = each.members.some(({ zone: other, weight }) => weight! > 0 && isElsewhere(other!))
            if (canBe) expect(isElsewhere(zoneOf(standby!))).toBe(true)
            else expect(standby).toBeDefined()
          }
      }),
    )
  })

  test('stays in its zone when every standby follows what it should', () => {
    fc.assert(
      fc.property(zoned, (view) => {
        expect(standbysOf(followed(view))).toEqual(standbysOf(view))
      }),
    )
  })

  test('is none where a node follows nothing, by its setting or its version', () => {
    fc.assert(
      fc.property(atRest, (view) => {
        const members = view.members.map((member) => ({ ...member, follows: undefined }))
        expect(standbysOf({ ...view, members }).every((standby) => standby === undefined)).toBe(true)
      }),
    )
  })
})
