import { connect } from '@kiroku/nats'
import { waitUntil, withNats } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import * as Effect from 'effect/Effect'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clusterTimes } from './ClusterLimits.ts'
import { ClusterNode } from './ClusterNode.ts'
import { KvBucket } from './KvBucket.ts'
import { locksBucket, type PartitionLock } from './PartitionLock.ts'
import { startTestPlacement, type TestPartitions, type TestPlacement } from './testing/startTestPlacement.ts'

const server = withNats()
const partitions = 4
/** A stall lasts for nine tenths of it, and must be over well before `loadAheadMsMax`, on a busy machine too. */
const heartbeatTtlMs = 2000
const times = clusterTimes(heartbeatTtlMs)
let log: string
let logs = 0
let connections: NatsConnection[]
let nodes: TestPlacement[]
/** Monotonic ms since when NATS is frozen. */
let frozenAtMs: number

beforeEach(() => {
  log = `log${logs++}`
  connections = []
  nodes = []
  frozenAtMs = Infinity
})
afterEach(async () => {
  await server().kill('SIGCONT')
  await Promise.all(nodes.map((node) => node.leave()))
  await Promise.all(connections.map((nc) => nc.close()))
})

/** Starts a node; `asking` may hold up what it asks of NATS. */
const start = async (
  asking: (payload: string) => unknown = () => {},
  partitionsOf: TestPartitions = {},
): Promise<TestPlacement> => {
  const nc = await connect({ servers: server().url })
  connections.push(nc)
  const request = nc.request.bind(nc)
  nc.request = async (...args) => {
    await asking(String(args[1]))
    return request(...args)
  }
  const node = startTestPlacement({ nc, log, partitions, heartbeatTtlMs }, partitionsOf)
  nodes.push(node)
  return node
}

/** The nodes that partitions are announced for. */
const nexts = async (): Promise<readonly string[]> => {
  const locks = KvBucket.open<PartitionLock>(connections[0]!, locksBucket(log))
  return (await locks.list()).flatMap(({ value }) => value?.next ?? [])
}

/** A node at whose first announcement of a hand-over NATS freezes; the announcement leaves when it is heard no more. */
const startWithStall = async (): Promise<TestPlacement> => {
  const node = await start((payload) => {
    if (frozenAtMs < Infinity || !payload.includes('"next"')) return undefined
    frozenAtMs = performance.now()
    void server().kill('SIGSTOP')
    return waitUntil(() => performance.now() - frozenAtMs > times.watchSilenceMs)
  })
  await waitUntil(() => node.running.size === partitions)
  return node
}

/** Waits until the announcements have failed, and lets NATS go on. */
const stallIsOver = async (node: TestPlacement): Promise<void> => {
  await waitUntil(
    () => performance.now() - frozenAtMs > times.watchSilenceMs + times.requestMs + times.lookMs,
  )
  expect(node.running.size).toBe(partitions)
  await server().kill('SIGCONT')
}

describe('hand-overs that are announced while NATS stalls', () => {
  test('are carried out once it answers again', async () => {
    const first = await startWithStall()
    const second = await start()
    await stallIsOver(first)
    await waitUntil(() => first.running.size === 2 && second.running.size === 2)
  })

  test('are taken back where the node that they were for is gone by then', async () => {
    const first = await startWithStall()
    const second = new ClusterNode({ url: server().url, log, partitions })
    try {
      await waitUntil(() => frozenAtMs < Infinity)
    } finally {
      await second.end('SIGKILL')
    }
    await stallIsOver(first)
    expect(first.running.size).toBe(partitions)
    const third = await start()
    await waitUntil(() => first.running.size === 2 && third.running.size === 2)
  })
})

test('a partition is not handed over to a node that leaves before it has loaded it', async () => {
  const first = await start()
  await waitUntil(() => first.running.size === partitions)
  const second = await start(undefined, { load: Effect.never })
  await waitUntil(async () => (await nexts()).length > 0)
  await second.leave()
  await waitUntil(async () => (await nexts()).length === 0)
  expect(first.events.filter(({ kind }) => kind !== 'acquired')).toEqual([])
  expect(first.running.size).toBe(partitions)
})
