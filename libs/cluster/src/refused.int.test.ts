import { waitUntil } from '@kiroku/testkit'
import { expect, test } from 'vitest'
import { clusterStatus } from './index.ts'
import { placementsForEach } from './testing/placementsForEach.ts'

const placements = placementsForEach()
const partitions = 4
const all = [0, 1, 2, 3]

/** A node of a feature level that cannot read some partitions, which it holds until they are taken from it. */
const join = (featureLevel: number, unreadable: readonly number[] = []) => {
  const node = placements.start(
    { partitions, build: { version: `${featureLevel}.0.0`, featureLevel } },
    {
      begin: (partition, lease) => {
        if (unreadable.includes(partition)) lease.refuse(`record ${partition} is of a newer version`)
      },
    },
  )
  const owns = (wanted: readonly number[]) =>
    waitUntil(() => String([...node.running].sort()) === String(wanted), { timeoutMs: 20_000 })
  return { ...node, owns }
}

test('[CARD-07] what a node cannot read goes to one of a higher feature level, and so does the rest of its share', async () => {
  const older = join(1, [2])
  await older.owns(all)
  const newer = join(2)
  await newer.owns(all)
  expect(older.running.size).toBe(0)
  expect(older.events.filter(({ kind }) => kind === 'refused')).toEqual([
    { kind: 'refused', partition: 2, reason: 'record 2 is of a newer version' },
  ])
  const { runners } = await clusterStatus(placements.nc, placements.log)
  expect(runners.map(({ version, refused }) => ({ version, refused }))).toEqual([
    { version: '1.0.0', refused: { partition: 2, reason: 'record 2 is of a newer version' } },
    { version: '2.0.0', refused: undefined },
  ])
})

test('[CARD-07] a node that cannot read a partition serves the others while no node reads more', async () => {
  const older = join(1, [2])
  await older.owns(all)
  const newer = join(2)
  await newer.owns(all)
  await newer.leave()
  await older.owns(all)
  const same = join(1)
  await waitUntil(() => same.running.size > 0 && older.running.size + same.running.size === partitions, {
    timeoutMs: 20_000,
  })
  expect(older.running.size).toBeGreaterThan(0)
})
