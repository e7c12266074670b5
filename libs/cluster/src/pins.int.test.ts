import { hostname } from 'node:os'
import { waitUntil } from '@kiroku/testkit'
import { jetstreamManager } from '@nats-io/jetstream'
import { expect, test } from 'vitest'
import { clusterStatus } from './clusterStatus.ts'
import { locksBucket } from './PartitionLock.ts'
import { pinPartition, unpinPartition } from './pinPartition.ts'
import { placementsForEach } from './testing/placementsForEach.ts'

const placements = placementsForEach()
const partitions = 4
const by = { name: 'ann', origin: 'test', reason: 'it is large' }

const start = () => placements.start({ partitions, heartbeatTtlMs: 1000 })

const pins = async () =>
  (await clusterStatus(placements.nc, placements.log)).partitions.map(({ pin }) => pin?.host)

test('pins come back by themselves when somebody deletes their bucket', async () => {
  const { nc, log } = placements
  const node = start()
  await waitUntil(() => node.running.size === partitions)
  await pinPartition(nc, log, 1, undefined, by)
  await pinPartition(nc, log, 2, undefined, by)
  await unpinPartition(nc, log, 2, by)
  expect(await pins()).toEqual([undefined, hostname(), undefined, undefined])
  const manager = await jetstreamManager(nc)
  await manager.streams.delete(`KV_${locksBucket(log)}`)
  await waitUntil(async () => (await pins())[1] === hostname(), { timeoutMs: 10_000 })
  expect(await pins()).toEqual([undefined, hostname(), undefined, undefined])
  expect(node.running.size).toBe(partitions)
})

test('a pin to a partition or a host that is not there is refused, and says what is', async () => {
  const { nc, log } = placements
  const node = start()
  await waitUntil(() => node.running.size === partitions)
  await expect(pinPartition(nc, log, partitions, undefined, by)).rejects.toThrow(/which has 4, from 0/)
  await expect(pinPartition(nc, log, 0, 'nowhere', by)).rejects.toThrow(`nodes run on ${hostname()}`)
  expect(await unpinPartition(nc, log, 0, by)).toBe(false)
  expect(await pins()).toEqual([undefined, undefined, undefined, undefined])
})
