import { connect } from '@kiroku/nats'
import { type NatsCluster, startNatsCluster, waitUntil } from '@kiroku/testkit'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { locksBucket } from './PartitionLock.ts'
import { runnersBucket } from './RunnerRecord.ts'
import { startTestPlacement, type TestPlacement } from './testing/startTestPlacement.ts'

const log = 'three'
const partitions = 8
let cluster: NatsCluster
let nc: NatsConnection
let nodes: Array<TestPlacement>

beforeEach(async () => {
  cluster = await startNatsCluster()
  nc = await connect({ servers: cluster.urls })
  nodes = []
  const add = async () => {
    const { streams } = await jetstreamManager(nc)
    return streams.add({ name: 'probe', subjects: ['probe'], num_replicas: 3 })
  }
  await waitUntil(add, { timeoutMs: 30_000, what: 'the servers have found each other' })
}, 60_000)

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.leave()))
  await nc.close()
  await cluster.stop()
}, 60_000)

const start = (): TestPlacement => {
  const node = startTestPlacement({ nc, log, partitions, replicas: 3 })
  nodes.push(node)
  return node
}

test(
  'no partition moves when the leaders of locks and heartbeats change, and hand-overs go on after',
  { timeout: 240_000 },
  async () => {
    const [a, b] = [start(), start()]
    await waitUntil(() => a.running.size === 4 && b.running.size === 4, { timeoutMs: 90_000 })
    const moves = () => [...a.events, ...b.events].filter(({ kind }) => kind !== 'trouble').length
    const before = moves()
    const { streams } = await jetstreamManager(nc)
    const leaderOf = async (bucket: string) => (await streams.info(`KV_${bucket}`)).cluster?.leader ?? ''
    for (const bucket of [locksBucket(log), runnersBucket(log)]) {
      const leader = await leaderOf(bucket)
      await nc.request(`$JS.API.STREAM.LEADER.STEPDOWN.KV_${bucket}`, '')
      await waitUntil(async () => !['', leader].includes(await leaderOf(bucket)), { timeoutMs: 30_000 })
    }
    const leader = await leaderOf(locksBucket(log))
    await cluster.servers[Number(leader.slice(1)) - 1]?.kill('SIGKILL')
    await waitUntil(async () => !['', leader].includes(await leaderOf(locksBucket(log))), {
      timeoutMs: 30_000,
    })
    expect(moves()).toBe(before)
    await a.leave()
    await waitUntil(() => b.running.size === partitions, { timeoutMs: 60_000 })
  },
)
