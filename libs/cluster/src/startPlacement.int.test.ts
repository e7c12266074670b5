import { connect } from '@kiroku/nats'
import { waitUntil, withNats } from '@kiroku/testkit'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clusterTimes, heartbeatTtlMsMin } from './ClusterLimits.ts'
import { clusterStatus, type PlacementEvent, type PlacementOptions } from './index.ts'
import { locksBucket } from './PartitionLock.ts'
import { runnersBucket } from './RunnerRecord.ts'
import { startTestPlacement, type TestPlacement } from './testing/startTestPlacement.ts'

const server = withNats()
const partitions = 6
let nc: NatsConnection
let log: string
let logs = 0
let nodes: Array<TestPlacement>

beforeEach(async () => {
  nc = await connect({ servers: server().url })
  log = `log${logs++}`
  nodes = []
})
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.leave()))
  await nc.close()
})

const start = (settings: Pick<PlacementOptions, 'heartbeatTtlMs' | 'weight'> = {}): TestPlacement => {
  const node = startTestPlacement({ nc, log, partitions, ...settings })
  nodes.push(node)
  return node
}

const evenly = (...some: ReadonlyArray<TestPlacement>) =>
  waitUntil(() => some.every(({ running }) => running.size === partitions / some.length))

const status = async () => {
  const { runners, partitions: each } = await clusterStatus(nc, log)
  return { nodes: runners.length, owned: each.filter(({ owner }) => owner !== undefined).length }
}

describe.each([
  { what: 'the locks', bucket: locksBucket },
  { what: 'the nodes', bucket: runnersBucket },
])('a bucket of $what that somebody deletes', ({ bucket }) => {
  test('comes back by itself, and no partition stops for it', async () => {
    const [a, b] = [start(), start()]
    await evenly(a, b)
    const before = [new Set(a.running), new Set(b.running)]
    a.events.length = b.events.length = 0
    await (await jetstreamManager(nc)).streams.delete(`KV_${bucket(log)}`)
    await waitUntil(async () => {
      const { nodes: alive, owned } = await status()
      return alive === 2 && owned === partitions
    })
    expect([a.running, b.running]).toEqual(before)
    const moved = [...a.events, ...b.events].filter(({ partition }) => partition !== undefined)
    expect(moved).toEqual([])
    // And it is worth what the first one was.
    await a.leave()
    await evenly(b)
  })
})

describe('a server that does not answer for a while', () => {
  test('is told of once a bucket, and once that heartbeats are confirmed again', async () => {
    const a = start()
    await evenly(a)
    a.events.length = 0
    const told = (kind: PlacementEvent['kind']) =>
      a.events.filter((event) => event.kind === kind).map(({ reason }) => reason)
    await server().kill('SIGSTOP')
    try {
      const { requestMs, beatMs } = clusterTimes(heartbeatTtlMsMin)
      await waitUntil(() => told('trouble').some((reason) => reason.includes(runnersBucket(log))))
      // As long as several heartbeats take to fail.
      const failedAtMs = performance.now()
      await waitUntil(() => performance.now() - failedAtMs > 3 * (requestMs + beatMs))
      for (const bucket of [runnersBucket(log), locksBucket(log)])
        expect(told('trouble').filter((reason) => reason.includes(bucket)).length).toBeLessThanOrEqual(1)
    } finally {
      await server().kill('SIGCONT')
    }
    await waitUntil(() => told('recovered').length > 0)
    expect(told('recovered')).toEqual([expect.stringMatching(/^heartbeat: confirmed again after \d+ s$/)])
  })
})

describe('the time after which a node counts as dead', () => {
  test('is that of the first node; one that wants another says so and takes it', async () => {
    const a = start({ heartbeatTtlMs: 2000 })
    await evenly(a)
    const b = start({ heartbeatTtlMs: 5000 })
    await evenly(a, b)
    expect(b.events.filter(({ kind }) => kind === 'trouble').map(({ reason }) => reason)).toEqual([
      expect.stringContaining('count as dead after 2000 ms'),
    ])
  })

  test('can be another once no node runs', async () => {
    const a = start({ heartbeatTtlMs: 2000 })
    await evenly(a)
    await a.leave()
    const b = start({ heartbeatTtlMs: 5000 })
    await evenly(b)
    const { config } = await (await jetstreamManager(nc)).streams.info(`KV_${runnersBucket(log)}`)
    expect(config.max_age).toBe(5_000_000_000)
    expect(b.events.filter(({ kind }) => kind === 'trouble')).toEqual([])
  })
})

describe('the weight of a node', () => {
  test('is its share of the partitions', async () => {
    const [heavy, light] = [start({ weight: 2 }), start()]
    await waitUntil(() => heavy.running.size === 4 && light.running.size === 2)
  })

  test('of 0 makes it a reserve, which takes partitions only where nobody else can', async () => {
    const reserve = start({ weight: 0 })
    await waitUntil(async () => (await status()).nodes === 1)
    const node = start()
    await evenly(node)
    expect(reserve.running.size).toBe(0)
    await node.leave()
    await evenly(reserve)
  })
})
