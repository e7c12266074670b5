import { connect } from '@kiroku/nats'
import { type NatsCluster, startNatsCluster, waitUntil } from '@kiroku/testkit'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clusterTimes, heartbeatTtlMsDefault } from './ClusterLimits.ts'
import { KvBucket, type KvEntry } from './KvBucket.ts'
import { Membership } from './Membership.ts'
import { processIdentity } from './ProcessIdentity.ts'
import { locksBucket } from './PartitionLock.ts'
import { type RunnerRecord, runnersBucket } from './RunnerRecord.ts'
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

const leaderOf = async (bucket: string): Promise<string> => {
  // A server that steps down drops requests.
  const { streams } = await jetstreamManager(nc, { timeout: 500 })
  return (await streams.info(`KV_${bucket}`)).cluster?.leader ?? ''
}

/** Makes one server lead a bucket. */
const lead = async (bucket: string, server: string): Promise<void> => {
  const subject = `$JS.API.STREAM.LEADER.STEPDOWN.KV_${bucket}`
  const preferred = JSON.stringify({ placement: { preferred: server } })
  const leads = async (): Promise<boolean> => {
    if ((await leaderOf(bucket)) === server) return true
    await nc.request(subject, preferred)
    return false
  }
  await waitUntil(leads, { timeoutMs: 30_000 })
}

/** Waits until two nodes have beaten for one TTL from now, in which one that was thought dead would have lost its partitions. */
const beatOn = async (): Promise<void> => {
  const fromMs = Date.now() + heartbeatTtlMsDefault
  const heartbeats = KvBucket.open(nc, runnersBucket(log))
  const isLater = ({ value, writtenAt = 0 }: KvEntry<unknown>) => value !== undefined && writtenAt > fromMs
  await waitUntil(async () => (await heartbeats.list()).filter(isLater).length === 2, {
    timeoutMs: 60_000,
  })
}

test(
  'no partition moves when the leaders of locks and heartbeats change, also by death, and hand-overs go on after',
  { timeout: 240_000 },
  async () => {
    const [a, b] = [start(), start()]
    await waitUntil(() => a.running.size === 4 && b.running.size === 4, { timeoutMs: 90_000 })
    const moves = () => [a, b].map(({ events }) => events.filter(({ partition }) => partition !== undefined))
    const before = moves()
    const buckets = [runnersBucket(log), locksBucket(log)]
    for (const server of ['n1', 'n2']) await Promise.all(buckets.map((bucket) => lead(bucket, server)))
    // The election that follows takes longer than heartbeats last.
    await cluster.servers[1]?.kill('SIGKILL')
    await waitUntil(async () => !['', 'n2'].includes(await leaderOf(runnersBucket(log))), {
      timeoutMs: 30_000,
    })
    await beatOn()
    expect(moves()).toEqual(before)
    await a.leave()
    await waitUntil(() => b.running.size === partitions, { timeoutMs: 60_000 })
  },
)

test(
  'nobody is gone for want of a heartbeat before NATS has had a leader for one TTL',
  { timeout: 60_000 },
  async () => {
    const times = clusterTimes(heartbeatTtlMsDefault)
    const settings = { ttlMs: times.ttlMs, replicas: 3 }
    const heartbeats = await KvBucket.create<RunnerRecord>(nc, runnersBucket(log), settings)
    const membership = new Membership(
      heartbeats,
      {
        ...processIdentity(),
        address: 'here',
        partitions,
        startedAt: new Date().toISOString(),
        leaving: false,
      },
      times,
    )
    for (const server of ['n1', 'n2']) await lead(runnersBucket(log), server)
    const answers: boolean[] = []
    const isGone = async (): Promise<boolean> => {
      // A leader does not answer in its first moment.
      const answer = await membership.isGone('there').catch(() => undefined)
      if (answer !== undefined) answers.push(answer)
      return answer === true
    }
    await waitUntil(isGone, { timeoutMs: 30_000 })
    expect(answers[0]).toBe(false)
  },
)
