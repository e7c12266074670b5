import { connect } from '@kiroku/client-nats'
import type { Client } from '@kiroku/client'
import { clusterStatus, type ClusterStatus, pinPartition, unpinPartition } from '@kiroku/cluster'
import { connect as connectNats } from '@kiroku/nats'
import type { Server } from '@kiroku/nats-server'
import { startTestNats, temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EngineProcess } from '../chaos/EngineProcess.ts'

const partitions = 4
const by = { name: 'ann', origin: 'spec' }

let server: Server
let folder: TemporaryFolder
let client: Client
let nats: Awaited<ReturnType<typeof connectNats>>
const nodes: EngineProcess[] = []

beforeEach(async () => {
  ;[server, folder] = await Promise.all([startTestNats(), temporaryFolder()])
  client = await connect({ servers: server.url })
  nats = await connectNats({ servers: server.url })
})
afterEach(async () => {
  for (const node of nodes.splice(0)) node.kill()
  await Promise.all([client.close(), nats.close()])
  await Promise.all([server.stop(), folder.remove()])
})

const start = (name: string, ...flags: string[]): EngineProcess => {
  const node = new EngineProcess({
    name,
    url: server.url,
    folder: folder.path,
    partitions,
    flags: ['--audit', 'off', ...flags],
  })
  nodes.push(node)
  node.start()
  return node
}

/** The status, once it is as it should be. */
const untilStatus = (holds: (status: ClusterStatus) => boolean): Promise<ClusterStatus> =>
  waitUntil(
    async () => {
      const status = await clusterStatus(nats, 'main')
      return status.partitions.length === partitions && holds(status) ? status : undefined
    },
    { timeoutMs: 60_000 },
  )

/** The partitions of each node, by its process, once every one is served. */
const untilOwned = async (...counts: readonly number[]): Promise<ReadonlyArray<ReadonlyArray<number>>> =>
  waitUntil(
    async () => {
      const active = (await client.partitions()).filter(({ state }) => state === 'Active')
      const owned = nodes.map(({ pid }) =>
        active.filter(({ node }) => node.endsWith(`-${pid}`)).map(({ partition }) => partition),
      )
      return owned.every(({ length }, at) => length === counts[at]) ? owned : undefined
    },
    { timeoutMs: 60_000 },
  )

describe('where partitions are', { timeout: 120_000 }, () => {
  it('[CARD-07] a pinned partition stays when a node joins, moves once it is unpinned, and the status says who pinned it', async () => {
    start('first')
    await untilOwned(4)
    for (const partition of [0, 1, 2]) await pinPartition(nats, 'main', partition, undefined, by)
    start('second')
    const [kept] = await untilOwned(3, 1)
    expect(kept).toEqual([0, 1, 2])
    const { partitions: each } = await clusterStatus(nats, 'main')
    expect(each.map(({ pin }) => pin?.by)).toEqual([by, by, by, undefined])
    for (const partition of [0, 1, 2]) expect(await unpinPartition(nats, 'main', partition, by)).toBe(true)
    await untilOwned(2, 2)
  })

  it('[CARD-07] the standby of a partition is in another zone than its owner', async () => {
    start('first', '--zone', 'a')
    await untilOwned(4)
    start('second', '--zone', 'a')
    start('third', '--zone', 'b')
    const isSpread = ({ partitions: each, runners }: ClusterStatus): boolean => {
      const zoneOf = (address: string | undefined) =>
        runners.find((runner) => runner.address === address)?.zone
      return each.every(({ owner, standby }) => {
        const zones = [zoneOf(owner), zoneOf(standby)].sort()
        return zones[0] === 'a' && zones[1] === 'b'
      })
    }
    const { runners } = await untilStatus(isSpread)
    expect(runners.map(({ zone }) => zone).sort()).toEqual(['a', 'a', 'b'])
  })
})
