import { expect, it } from 'vitest'
import type { Cluster, ClusterNode } from './Cluster.ts'
import { movesBetween } from './movesBetween.ts'

const node = (address: string, pid: number, more: Partial<ClusterNode> = {}): ClusterNode => ({
  address,
  host: 'vm',
  pid,
  startedAt: `2026-11-22T04:00:0${pid}Z`,
  healthy: true,
  leaving: false,
  partitions: [],
  ...more,
})
const cluster = (
  nodes: ClusterNode[],
  ...partitions: [owner: string | undefined, epoch: number][]
): Cluster => ({
  log: 'main',
  nodes,
  partitions: partitions.map(([owner, epoch], partition) => ({
    partition,
    epoch,
    ...(owner === undefined ? {} : { owner }),
  })),
})

it('reports nothing when nothing moved', () => {
  const same = cluster([node('a', 1)], ['a', 1])
  expect(movesBetween(same, same)).toEqual([])
})

it('reports a partition that went to a node that joined', () => {
  const before = cluster([node('a', 1)], ['a', 1], ['a', 1])
  const after = cluster([node('a', 1), node('b', 2)], ['a', 1], ['b', 2])
  expect(movesBetween(before, after)).toEqual([
    {
      partition: 1,
      from: 'vm-1',
      to: 'vm-2',
      epoch: 2,
      why: 'a node joined, and partitions are spread evenly',
    },
  ])
})

it('says why a node no longer has it', () => {
  const before = cluster([node('a', 1), node('b', 2)], ['b', 1])
  const [gone] = movesBetween(before, cluster([node('a', 1)], ['a', 2]))
  expect(gone).toMatchObject({ from: 'vm-2', to: 'vm-1', why: 'its node went away' })
  const leaving = [node('a', 1), node('b', 2, { leaving: true })]
  expect(movesBetween(before, cluster(leaving, ['a', 2]))[0]?.why).toBe(
    'its node is stopping and handed it over',
  )
})

it('reports an owner that took its own partition again, and one without an owner', () => {
  const before = cluster([node('a', 1)], ['a', 1])
  expect(movesBetween(before, cluster([node('a', 1)], ['a', 2]))[0]).toMatchObject({ to: 'vm-1', epoch: 2 })
  const [lost] = movesBetween(before, cluster([], [undefined, 1]))
  expect(lost).toEqual({ partition: 0, from: 'vm-1', epoch: 1, why: 'its node went away' })
})
